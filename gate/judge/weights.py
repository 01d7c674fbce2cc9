"""Where weights lie, and which they are: safetensors only, and never any code."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gate.errors import JudgingError
from gate.judge.extra import needs

COMMIT = re.compile(r"[0-9a-f]{40}")
LIGHT = ("*.json", "*.jinja", "tokenizer.model", "README.md")
"""What is fetched of a hub repository at first; the weights follow when they are needed."""

PINNED = {"cais/HarmBench-Llama-2-13b-cls": "bda705349d1144fa618770bea64d99ce54e3835b"}
"""The revisions that are fetched where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A checkpoint on this machine."""

    name: str
    folder: Path
    from_hub: bool = False

    def complete(self) -> Path:
        """Return the folder with the weights in it; fetches them where they are the hub's."""
        if self.from_hub:
            fetch(self.name, self.folder.name, (*LIGHT, "*.safetensors"))
        safetensors(self.folder)
        return self.folder

    def commit(self) -> str | None:
        """Return the hub's commit, where the folder tells which it was downloaded at."""
        if self.folder.parent.name == "snapshots" and COMMIT.fullmatch(self.folder.name):
            return self.folder.name
        notes = self.folder / ".cache" / "huggingface" / "download" / "config.json.metadata"
        try:
            first = notes.read_text(encoding="utf-8").split("\n", 1)[0].strip()
        except (OSError, UnicodeDecodeError):
            return None
        return first if COMMIT.fullmatch(first) else None

    def digest(self) -> str:
        """Return `sha256:…` of the weights and their configuration; reads all of them."""
        digest = hashlib.sha256()
        for path in [self.folder / "config.json", *safetensors(self.folder)]:
            with path.open("rb") as file:
                inner = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(f"{path.name}\0{inner}\n".encode())
        return f"sha256:{digest.hexdigest()}"


def find_weights(place: str, revision: str | None) -> Weights:
    """Find a local folder, or fetch a hub repository.

    Raises:
        JudgingError: If there is nothing usable.
    """
    folder = Path(place).expanduser()
    if folder.is_dir():
        return Weights(folder.resolve().name, folder)
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", place, re.ASCII):
        raise JudgingError(
            f"{place!r} is neither a folder nor a hub id",
            next_step="Name the folder that holds the weights, or an id like owner/name.",
        )
    return Weights(place, fetch(place, revision or PINNED.get(place), LIGHT), from_hub=True)


def fetch(place: str, revision: str | None, wanted: Sequence[str]) -> Path:
    """Fetch files of a hub repository, or find them in the cache; neither code nor pickles.

    Raises:
        JudgingError: If that is impossible.
    """
    with needs("judge"):
        from huggingface_hub import snapshot_download
    try:
        return Path(snapshot_download(place, revision=revision, allow_patterns=list(wanted)))
    # The network and the hub have errors of many kinds; none of them is a fault of this tool.
    except Exception as error:
        at = f" at revision {revision}" if revision else ""
        raise JudgingError(
            f"{place}{at} cannot be fetched from the hub: {type(error).__name__}",
            next_step="Check the network and access (`hf auth login`), or download it elsewhere "
            "and name the folder with --weights.",
        ) from error


def safetensors(folder: Path) -> list[Path]:
    """List the weight files.

    Raises:
        JudgingError: If there are none; pickled weights are never opened.
    """
    found = sorted(folder.glob("*.safetensors"))
    if not found:
        pickled = any(folder.glob("*.bin")) or any(folder.glob("*.pt*"))
        only = "only pickled weights, which could run code" if pickled else "no *.safetensors"
        raise JudgingError(
            f"{folder}: there are {only}" if pickled else f"{folder}: there is {only}",
            next_step="Save the weights as safetensors, or name another folder with --weights.",
        )
    return found
