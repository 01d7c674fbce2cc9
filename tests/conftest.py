"""What all tests share."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let golden files be written anew: `pytest --update-goldens`."""
    parser.addoption("--update-goldens", action="store_true", help="write golden files anew")
