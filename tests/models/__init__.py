"""Tests of the official models: catalogue, download, unpacking, installation, check."""
