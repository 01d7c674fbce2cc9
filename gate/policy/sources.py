"""Where the bytes of a policy come from: a path, a URI, or the policies shipped with the tool."""

import os
from pathlib import Path

import gate
from gate.errors import PolicyError
from gate.suggestions import did_you_mean

SHIPPED = ("release", "pr-smoke", "superiority", "strict", "rubric")
"""The names that `--policy` takes besides paths; `./release` is the file of that name."""


def resolve(name_or_path: str) -> str:
    """Turn what the user wrote into a path or URI that can be opened.

    A shipped policy's name always means that policy, whatever lies in the working directory.
    """
    if name_or_path not in SHIPPED:
        return name_or_path
    package = Path(gate.__file__).parent
    wheel = package / "policies"
    # An editable installation has them beside the package, where the repository keeps them.
    folder = wheel if wheel.is_dir() else package.parent / "policies"
    return str(folder / f"{name_or_path}.yaml")


def label(name_or_path: str) -> str:
    """Name a policy in reports without a path of this machine that the user did not write."""
    return f"shipped:{name_or_path}" if name_or_path in SHIPPED else name_or_path


def is_uri(place: str) -> bool:
    """Whether it is opened by fsspec."""
    return "://" in place


def beside(place: str, relative: str) -> str:
    """Resolve a path that a policy names, relative to the policy."""
    if is_uri(relative) or os.path.isabs(relative):
        return relative
    if is_uri(place):
        return f"{place.rpartition('/')[0]}/{relative}"
    return os.path.join(os.path.dirname(place), relative)


def read_policy(place: str, shown: str, limit: int) -> bytes:
    """Read a policy, at most one byte more than the limit.

    Raises:
        PolicyError: Where there is nothing to read.
    """
    content, trouble = read(place, limit)
    if content is not None:
        return content
    hint = ""
    if trouble == "no such file" and not is_uri(place):
        near = did_you_mean(os.path.basename(place).removesuffix(".yaml"), SHIPPED)
        hint = f"{near} (shipped policies: {', '.join(SHIPPED)})"
    raise PolicyError(
        [f"{shown or '(no path)'}: {trouble}{hint}"],
        next_step="Name a policy file, a URI, or a shipped policy with --policy.",
    )


def read(place: str, limit: int) -> tuple[bytes | None, str]:
    """Read a file; where that fails, say why in a few words."""
    try:
        if is_uri(place):
            return _read_remote(place, limit), ""
        with open(place, "rb") as file:
            return file.read(limit + 1), ""
    except FileNotFoundError:
        return None, "no such file"
    except IsADirectoryError:
        return None, "is a directory"
    except PermissionError:
        return None, "may not be read (permission denied)"
    except ImportError as error:
        return None, f"reading this kind of URI needs an optional package: {_line(error)}"
    except Exception as error:  # a storage library raises whatever it likes
        return None, f"cannot be read: {_line(error)}"


def _read_remote(uri: str, limit: int) -> bytes:
    import fsspec  # costs 50 ms, and most policies are local

    with fsspec.open(uri, "rb") as file:
        return bytes(file.read(limit + 1))


def _line(error: Exception) -> str:
    text = " ".join(str(getattr(error, "strerror", None) or error).split())
    return text[:200] or type(error).__name__
