"""Making the command models: voices, texts, features, network, training, export and evaluation.

``python3 scripts/training/run.py`` does all of it; every module here is one stage or one noun of it.
"""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
"""The top of the repository."""
