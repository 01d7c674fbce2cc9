"""Signatures: a DSSE envelope by a key file, or a Sigstore bundle where there is an identity.

Both sign the same in-toto statement, which names the decision file by its digest; the bundles
that `actions/attest` makes of `--report vsa` are therefore verified here as well.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from gate.decision import Decision
from gate.errors import UsageError
from gate.reports.attestation import render as attestation
from gate.reports.vsa import DECISION, PREDICATE_TYPE
from gate.trail.failure import Failed, Failure

PAYLOAD_TYPE = "application/vnd.in-toto+json"
BUNDLE = "application/vnd.dev.sigstore.bundle"
INSTALL = "Run: pip install 'checkpoint-gate[sign]'"


@dataclass(frozen=True, slots=True)
class Trusted:
    """Whose signatures count."""

    key: bytes | None = None
    """A public key in PEM form."""
    identity: str = ""
    """As a Sigstore certificate names the signer."""
    issuer: str = ""
    """Who vouches for that identity."""


def sign_with_key(decision: Decision, pem: bytes) -> str:
    """Sign a decision by an Ed25519 key.

    Args:
        decision: The decision; its candidate must have been readable.
        pem: The private key, unencrypted, as `openssl genpkey -algorithm ed25519` writes it.

    Raises:
        UsageError: If the key cannot be used, or the package for it is not installed.
    """
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
        from securesystemslib.dsse import Envelope
        from securesystemslib.signer import CryptoSigner
    except ImportError as error:
        _needs_extra(error)
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError) as error:
        raise UsageError(f"the key cannot be used to sign: {error}", next_step=_MAKE) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError("the key cannot be used to sign: it is not Ed25519", next_step=_MAKE)
    envelope = Envelope(_payload(decision), PAYLOAD_TYPE, {})
    envelope.sign(CryptoSigner(key))
    return json.dumps(envelope.to_dict(), indent=2, sort_keys=True) + "\n"


def sign_with_identity(decision: Decision) -> str:
    """Sign a decision by the identity that the surroundings vouch for, as in a GitHub job.

    Raises:
        UsageError: If there is no identity token, no network, or no package for it.
    """
    try:
        from sigstore.dsse import Statement
        from sigstore.models import ClientTrustConfig
        from sigstore.oidc import IdentityToken, detect_credential
        from sigstore.sign import SigningContext
    except ImportError as error:
        _needs_extra(error)
    try:
        token = detect_credential()
        if token is not None:
            context = SigningContext.from_trust_config(ClientTrustConfig.production())
            with context.signer(IdentityToken(token)) as signer:
                return str(signer.sign_dsse(Statement(_payload(decision))).to_json()) + "\n"
    # Every service on the way has exceptions of its own, and none is a fault of this tool.
    except Exception as error:
        raise UsageError(
            f"Sigstore did not sign: {error}", next_step="Try again, or sign with a key file."
        ) from error
    raise UsageError(
        "there is no identity token to sign with",
        next_step="In a GitHub job, grant `id-token: write`; elsewhere sign with a key file.",
    )


def verify_signature(signature: bytes, decision_bytes: bytes, trusted: Trusted) -> Failed | None:
    """Hold a signature against the decision file and the signer that is trusted.

    Args:
        signature: A DSSE envelope or a Sigstore bundle.
        decision_bytes: The decision file.
        trusted: Whose signature counts.

    Raises:
        UsageError: If it does not say whose, or a package is not installed.
    """
    try:
        document = json.loads(signature)
    except (ValueError, RecursionError) as error:
        return Failed(Failure.V_SIGNATURE_FORM, f"the signature is not JSON: {error}")
    if not isinstance(document, dict):
        return Failed(Failure.V_SIGNATURE_FORM, "the signature is not a JSON object")
    if str(document.get("mediaType", "")).startswith(BUNDLE):
        payload = _open_bundle(signature, trusted)
    else:
        payload = _open_envelope(document, trusted)
    return payload if isinstance(payload, Failed) else _about(payload, decision_bytes)


_MAKE = (
    "Make one with `openssl genpkey -algorithm ed25519`; a key with a password must be decrypted."
)


def _payload(decision: Decision) -> bytes:
    if not decision.runs["candidate"].digest:
        raise UsageError(
            "there is nothing to sign: the candidate could not be read when it was decided",
            next_step="Decide again on a candidate that can be read.",
        )
    return attestation(decision).encode()


def _needs_extra(error: ImportError) -> NoReturn:
    raise UsageError(
        f"signatures need a package that is not installed: {error.name}", next_step=INSTALL
    ) from error


def _open_envelope(document: Mapping[str, Any], trusted: Trusted) -> bytes | Failed:
    """Give the payload of a DSSE envelope that the trusted key signed."""
    if trusted.key is None:
        raise UsageError(
            "the signature is by a key, and no trusted one was named",
            next_step="Name the public key with --key PUBLIC.pem.",
        )
    try:
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
        from securesystemslib.dsse import Envelope
        from securesystemslib.exceptions import VerificationError
        from securesystemslib.signer import SSlibKey
    except ImportError as error:
        _needs_extra(error)
    try:
        key = SSlibKey.from_crypto(load_pem_public_key(trusted.key))
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"the key is no public key in PEM form: {error}",
            next_step="Take it from the private one with `openssl pkey -in KEY -pubout`.",
        ) from error
    try:
        envelope = Envelope.from_dict(dict(document))
    # Whatever is malformed in it, in whatever way: it is no signature.
    except Exception as error:
        return Failed(Failure.V_SIGNATURE_FORM, f"the signature is no DSSE envelope: {error!r}")
    if envelope.payload_type != PAYLOAD_TYPE or not envelope.signatures:
        return Failed(Failure.V_SIGNATURE_FORM, "the signature is not of an in-toto statement")
    if key.keyid not in envelope.signatures:
        keys = ", ".join(sorted(keyid[:12] for keyid in envelope.signatures))
        return Failed(Failure.V_SIGNATURE_KEY, f"signed by key {keys}, not by {key.keyid[:12]}")
    try:
        envelope.verify([key], 1)
    except VerificationError:
        return Failed(Failure.V_SIGNATURE, "the signature is not of what the envelope holds")
    return envelope.payload


def _open_bundle(signature: bytes, trusted: Trusted) -> bytes | Failed:
    """Give the payload of a Sigstore bundle that the trusted identity signed."""
    if not trusted.identity or not trusted.issuer:
        raise UsageError(
            "the signature is by an identity, and no trusted one was named",
            next_step="Name it with --identity and --issuer.",
        )
    try:
        from sigstore.errors import Error
        from sigstore.models import Bundle
        from sigstore.verify import Verifier
        from sigstore.verify.policy import Identity
    except ImportError as error:
        _needs_extra(error)
    try:
        bundle = Bundle.from_json(signature)
    except Exception as error:  # as above: no signature
        return Failed(Failure.V_SIGNATURE_FORM, f"the signature is no Sigstore bundle: {error}")
    try:
        verifier = Verifier.production()
    except Exception as error:  # the network, in all its ways
        raise UsageError(
            f"the roots of Sigstore cannot be fetched: {error}", next_step="Try again."
        ) from error
    try:
        Identity(identity=trusted.identity, issuer=trusted.issuer).verify(
            bundle.signing_certificate
        )
    except Error as error:
        return Failed(Failure.V_SIGNATURE_KEY, str(error))
    try:
        policy = Identity(identity=trusted.identity, issuer=trusted.issuer)
        return bytes(verifier.verify_dsse(bundle, policy)[1])
    except Error as error:
        return Failed(Failure.V_SIGNATURE, str(error))


def _about(payload: bytes, decision_bytes: bytes) -> Failed | None:
    """Hold the signed statement against the decision file."""
    try:
        statement = json.loads(payload)
        kind, said = statement["predicateType"], statement["predicate"][DECISION]["sha256"]
    except (ValueError, KeyError, TypeError):
        return Failed(Failure.V_SIGNATURE_OTHER, "what is signed is no statement about a decision")
    digest = hashlib.sha256(decision_bytes).hexdigest()
    if kind != PREDICATE_TYPE or said != digest:
        message = f"what is signed is decision {str(said)[:12]}, and this one is {digest[:12]}"
        return Failed(Failure.V_SIGNATURE_OTHER, message)
    return None
