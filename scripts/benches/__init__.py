"""The benchmarks: each module here is one, and holds a click command called ``command``."""
