"""Tiny checkpoints and prompts, built once."""

from pathlib import Path

import pytest

from tests.generate import kit
from tests.judge import tiny


@pytest.fixture(scope="session")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of Llama's shape that writes random text."""
    return tiny.llama(tmp_path_factory.mktemp("weights") / "acme", answers=None)


@pytest.fixture(scope="session")
def mist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of Mistral's shape."""
    return tiny.mistral(tmp_path_factory.mktemp("weights") / "mist", answers=None, seed=2)


@pytest.fixture(scope="session")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of three benchmarks."""
    return kit.prompts(tmp_path_factory.mktemp("prompts"))
