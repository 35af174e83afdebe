"""Puts the checks on the path, whatever pytest was started from."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
