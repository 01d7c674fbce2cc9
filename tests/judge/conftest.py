"""Tiny checkpoints, built once for all tests of a process."""

from pathlib import Path

import pytest

from tests.judge import tiny


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A judge of Llama's shape that answers yes or no, with a card that holds its prompts."""
    return tiny.llama(tmp_path_factory.mktemp("weights") / "llama", card=tiny.card())


@pytest.fixture(scope="session")
def mistral(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of Mistral's shape."""
    return tiny.mistral(tmp_path_factory.mktemp("weights") / "mistral", card=tiny.card(), seed=1)
