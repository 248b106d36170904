"""What ``scripts/bench.py fuzz`` throws at the program, one module a kind, and how it is judged."""
