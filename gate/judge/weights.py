"""Where weights lie, and which they are: safetensors only, and never any code."""

import hashlib
import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from gate.errors import JudgingError
from gate.judge.extra import needs

COMMIT = re.compile(r"[0-9a-f]{40}")
LIGHT = ("*.json", "*.jinja", "tokenizer.model", "README.md")
"""What is fetched of a hub repository at first; the weights follow when they are needed."""

INDEX = "model.safetensors.index.json"
"""Says which file holds which tensor, where there are several."""

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
        folder = self.complete()
        optional = [folder / name for name in (INDEX, "generation_config.json")]
        paths = [folder / "config.json", *filter(Path.is_file, optional), *safetensors(folder)]
        digest = hashlib.sha256()
        try:
            with ThreadPoolExecutor() as pool:
                for path, inner in zip(paths, pool.map(_file_digest, paths), strict=True):
                    digest.update(f"{path.relative_to(folder).as_posix()}\0{inner}\n".encode())
        except OSError as error:
            raise JudgingError(
                f"{folder}: the weights cannot be read: {error.strerror}",
                next_step="Give access to the whole folder, config.json and weights.",
            ) from error
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
    """List the weight files: all that lie in the folder, and all that its index names.

    Raises:
        JudgingError: If there are none, or they may come from elsewhere; pickled weights are
            never opened.
    """
    if (folder / "adapter_config.json").exists():
        raise JudgingError(
            f"{folder}: these are an adapter's weights, which are put on others named elsewhere",
            next_step="Merge the adapter into its base weights, and name the merged folder.",
        )
    if _renamed(folder / "config.json"):
        raise JudgingError(
            f"{folder}: config.json names weights of its own (`transformers_weights`)",
            next_step="Take that key out, and leave only the weights that are to run.",
        )
    found = sorted({*folder.glob("*.safetensors"), *_indexed(folder)})
    if not found:
        pickled = any(folder.glob("*.bin")) or any(folder.glob("*.pt*"))
        only = "only pickled weights, which could run code" if pickled else "no *.safetensors"
        raise JudgingError(
            f"{folder}: there are {only}" if pickled else f"{folder}: there is {only}",
            next_step="Save the weights as safetensors, or name another folder with --weights.",
        )
    return found


def _renamed(config: Path) -> bool:
    """Tell whether the library would load other files than those of the usual names."""
    try:
        return json.loads(config.read_bytes()).get("transformers_weights") is not None
    except (OSError, ValueError, AttributeError, RecursionError):
        return False  # then loading fails


def _indexed(folder: Path) -> list[Path]:
    """List the files that the index names; each must lie in the folder."""
    index = folder / INDEX
    if not index.is_file():
        return []
    try:
        names = sorted(set(json.loads(index.read_bytes())["weight_map"].values()))
        paths = [PurePosixPath(name) for name in names]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _bad_index(index, "it cannot be read") from error
    for path in paths:
        if path.is_absolute() or ".." in path.parts or path.suffix != ".safetensors":
            raise _bad_index(index, "it names a file that is no safetensors file of this folder")
        if not (folder / path).is_file():
            raise _bad_index(index, "it names a file that is not there")
    return [folder / path for path in paths]


def _bad_index(index: Path, what: str) -> JudgingError:
    return JudgingError(
        f"{index}: {what}",
        next_step="Save or download the whole checkpoint again, all of its files in one folder.",
    )


@cache
def _digest_of(path: Path, size: int, mtime_ns: int, inode: int) -> str:
    """Read a file once, as long as it stays as it is."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _file_digest(path: Path) -> str:
    now = path.stat()
    return _digest_of(path, now.st_size, now.st_mtime_ns, now.st_ino)
