"""The rules of Mex: pure, no input or output, no clock, no randomness; dice come in."""
