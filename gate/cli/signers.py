"""Signatures that a command line names, held against the signers that it trusts."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gate.cli import options
from gate.errors import UsageError

if TYPE_CHECKING:
    from gate.trail.verify import Verified

Command = TypeVar("Command", bound=Callable[..., Any])


def signature_options(command: Command) -> Command:
    """Take signatures, and whose signatures are trusted."""
    for option in (
        click.option("--issuer", metavar="URL", help="Who vouches for that identity."),
        click.option(
            "--identity", metavar="NAME", help="The identity whose signatures are trusted."
        ),
        click.option("--key", metavar="PEM", help="The public key whose signatures are trusted."),
        click.option(
            "--signature", "signatures", multiple=True, metavar="FILE", help="A signature of it."
        ),
    ):
        command = option(command)
    return command


def check_signatures(
    signatures: Sequence[str],
    content: bytes,
    key: str | None,
    identity: str | None,
    issuer: str | None,
) -> list["Verified"]:
    """Hold every signature against the decision file and whoever is trusted.

    Raises:
        UsageError: If a signer is named and no signature, half an identity, or a file that
            cannot be read.
    """
    from gate.trail.signature import Trusted, verify_signature
    from gate.trail.verify import Verified

    refuse_signer_alone(signatures, key, identity, issuer)
    pem = options.read_file(key, "key") if key else None
    trusted = Trusted(key=pem, identity=identity or "", issuer=issuer or "")
    signer = " or ".join((["the trusted key"] if key else []) + ([identity] if identity else []))
    results = []
    for name in signatures:
        failed = verify_signature(options.read_file(name, "signature"), content, trusted)
        what = f"signature {Path(name).name}"
        known = (failed,) if failed else ()
        results.append(Verified(what=what, failed=known, note=f"by {signer}"))
    return results


def refuse_signer_alone(
    signatures: Sequence[str], key: str | None, identity: str | None, issuer: str | None
) -> None:
    """Refuse a signer without a signature: nothing would be checked, and all look verified.

    Raises:
        UsageError: If so, or if an identity has no issuer, or an issuer no identity.
    """
    given = {"--key": key, "--identity": identity, "--issuer": issuer}
    named = [option for option, value in given.items() if value is not None]
    if named and not signatures:
        raise UsageError(
            f"{named[0]} says whose signature is trusted, and no signature was named",
            next_step="Name it with --signature FILE.",
        )
    if "" in given.values():
        empty = next(option for option, value in given.items() if value == "")
        raise UsageError(f"{empty} is empty", next_step="Name a signer, or leave it out.")
    if (identity is None) != (issuer is None):
        raise UsageError(
            "an identity is one only with whoever vouches for it",
            next_step="Give both --identity and --issuer.",
        )
