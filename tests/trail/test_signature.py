"""Signatures by a key file and by an identity, made and verified."""

import base64
import builtins
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from gate.errors import UsageError
from gate.reports.attestation import STATEMENT_TYPE
from gate.reports.json import load
from gate.trail.signature import sign_with_key
from tests.trail.keys import make_key
from tests.trail.scene import CHECK, Gate, write_scene

SIGN = ("verify", "gate.json", "--candidate", "candidate", "--sign")
VERIFY = ("verify", "gate.json", "--signature", "gate.json.sig")
TRUSTED = ("--identity", "https://ci.example/release.yml", "--issuer", "https://ci.example")


@pytest.fixture
def decided(gate: Gate) -> Gate:
    """A decision and a key pair in the directory."""
    write_scene()
    assert gate(*CHECK, "--report", "json:gate.json", "--report", "attestation:a.json")[0] == 0
    make_key("gate")
    return gate


def envelope() -> dict[str, Any]:
    """Read the signature."""
    return json.loads(Path("gate.json.sig").read_text(encoding="utf-8"))


def test_the_envelope_is_dsse(decided: Gate) -> None:
    """Its signature is that of the specification, held to it by hand; the payload is ours."""
    assert decided(*SIGN, "gate.key")[0] == 0
    found = envelope()
    assert found["payloadType"] == "application/vnd.in-toto+json"
    payload = base64.b64decode(found["payload"])
    assert payload == Path("a.json").read_bytes()
    assert json.loads(payload)["_type"] == STATEMENT_TYPE
    kind = found["payloadType"].encode()
    encoded = b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
    public = form.load_pem_public_key(Path("gate.pub").read_bytes())
    assert isinstance(public, Ed25519PublicKey)
    (signature,) = found["signatures"]
    public.verify(base64.b64decode(signature["sig"]), encoded)


def test_the_same_key_signs_the_same_bytes(decided: Gate) -> None:
    """A signature has no clock in it; --out says where it goes."""
    assert decided(*SIGN, "gate.key")[0] == 0
    assert decided(*SIGN, "gate.key", "--out", "again.sig")[0] == 0
    assert Path("again.sig").read_bytes() == Path("gate.json.sig").read_bytes()


def encrypted() -> bytes:
    """A key with a password."""
    encryption = form.BestAvailableEncryption(b"placeholder")
    return Ed25519PrivateKey.generate().private_bytes(
        form.Encoding.PEM, form.PrivateFormat.PKCS8, encryption
    )


def elliptic() -> bytes:
    """A key of another kind."""
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()
    )


@pytest.mark.parametrize("make", [encrypted, elliptic, lambda: b"no key", lambda: b""])
def test_what_is_no_ed25519_key_does_not_sign(decided: Gate, make: Any) -> None:
    """Told with what to do, and without a word of the key."""
    Path("bad.key").write_bytes(make())
    code, _, err = decided(*SIGN, "bad.key")
    assert code == 2
    assert "cannot be used to sign" in err
    assert "openssl genpkey" in err
    assert not Path("gate.json.sig").exists()


MALFORMED = {
    "empty": b"",
    "a list": b"[]",
    "deep": b"[" * 100_000,
    "no envelope": b"{}",
    "no base64": b'{"payload": "%", "payloadType": "x", "signatures": []}',
    "no signatures": b'{"payload": "", "signatures": [],'
    b' "payloadType": "application/vnd.in-toto+json"}',
    "odd signatures": b'{"payload": "", "payloadType": "x", "signatures": [1]}',
    "a bundle that is none": b'{"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json"}',
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_signature(decided: Gate, name: str) -> None:
    """Whatever it is instead, it is a failed verification and no fault of the tool."""
    if "bundle" in name:
        pytest.importorskip("sigstore")  # its lower bounds are above ours
    Path("gate.json.sig").write_bytes(MALFORMED[name])
    code, out, _ = decided(*VERIFY, "--key", "gate.pub", *TRUSTED)
    assert code == 1
    assert "V_SIGNATURE_FORM" in out


def test_a_statement_about_something_else(decided: Gate) -> None:
    """A good signature of another sort of statement says nothing of the decision."""
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner

    key = form.load_pem_private_key(Path("gate.key").read_bytes(), None)
    for payload in (b"[]", b"{}", b'{"predicateType": "x", "predicate": {}}', b"\xff"):
        other = Envelope(payload, "application/vnd.in-toto+json", {})
        other.sign(CryptoSigner(key))
        Path("gate.json.sig").write_text(json.dumps(other.to_dict()), encoding="utf-8")
        code, out, _ = decided(*VERIFY, "--key", "gate.pub")
        assert code == 1
        assert "V_SIGNATURE_OTHER" in out


def test_a_key_that_claims_another_ones_name(decided: Gate) -> None:
    """The id of a key in an envelope is a hint; the signature decides."""
    make_key("other")
    assert decided(*SIGN, "gate.key")[0] == 0
    trusted = envelope()["signatures"][0]["keyid"]
    assert decided(*SIGN, "other.key")[0] == 0
    forged = envelope()
    forged["signatures"][0]["keyid"] = trusted
    Path("gate.json.sig").write_text(json.dumps(forged), encoding="utf-8")
    code, out, _ = decided(*VERIFY, "--key", "gate.pub")
    assert code == 1
    assert " V_SIGNATURE the signature is not of what the envelope holds" in out


def test_a_trusted_key_that_is_none(decided: Gate) -> None:
    """A private key, or anything else, is no public key: a usage error."""
    assert decided(*SIGN, "gate.key")[0] == 0
    code, _, err = decided(*VERIFY, "--key", "gate.key")
    assert code == 2
    assert "openssl pkey" in err


@pytest.mark.parametrize("package", ["securesystemslib", "sigstore"])
def test_without_the_extra(decided: Gate, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """What must be installed is named; everything else works without it."""
    original = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.split(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    how = "gate.key" if package == "securesystemslib" else "identity"
    code, _, err = decided(*SIGN, how)
    assert code == 2
    assert "checkpoint-gate[sign]" in err
    assert decided(*SIGN[:-1])[0] == 0


class Services:
    """Stands in for Sigstore: no network, a token, and bundles that say what was signed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("sigstore")  # its lower bounds are above ours
        import sigstore.models
        import sigstore.oidc
        import sigstore.sign
        import sigstore.verify

        self.token: str | None = "placeholder"
        self.failure: Exception | None = None
        patches = {
            (sigstore.oidc, "detect_credential"): lambda: self.token,
            (sigstore.oidc, "IdentityToken"): lambda token: token,
            (sigstore.models, "ClientTrustConfig"): self,
            (sigstore.sign, "SigningContext"): self,
            (sigstore.models, "Bundle"): self,
            (sigstore.verify, "Verifier"): self,
        }
        for (module, name), stand_in in patches.items():
            monkeypatch.setattr(module, name, stand_in)

    def production(self) -> "Services":
        """Give the trusted roots."""
        return self

    def from_trust_config(self, _: object) -> "Services":
        """Open what signs."""
        return self

    def signer(self, _: str) -> "Services":
        """Sign for a token."""
        return self

    def __enter__(self) -> "Services":
        return self

    def __exit__(self, *_: object) -> None: ...

    def sign_dsse(self, statement: Any) -> "Services":
        """Keep what is signed."""
        if self.failure:
            raise self.failure
        self.payload = statement._contents
        return self

    def to_json(self) -> str:
        """Write a bundle."""
        return json.dumps({"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json"})

    def from_json(self, _: bytes) -> "Services":
        """Read a bundle."""
        return self

    @property
    def signing_certificate(self) -> Any:
        """Name the identity that signed, and who vouches for it."""
        from datetime import UTC, datetime, timedelta

        from cryptography import x509
        from cryptography.hazmat.primitives import hashes

        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([])
        uri = x509.UniformResourceIdentifier(TRUSTED[1])
        issuer = x509.UnrecognizedExtension(
            x509.ObjectIdentifier("1.3.6.1.4.1.57264.1.1"), TRUSTED[3].encode()
        )
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(1)
            .not_valid_before(datetime.now(UTC))
            .not_valid_after(datetime.now(UTC) + timedelta(minutes=10))
            .add_extension(x509.SubjectAlternativeName([uri]), critical=True)
            .add_extension(issuer, critical=False)
            .sign(key, hashes.SHA256())
        )

    def verify_dsse(self, _: object, policy: object) -> tuple[str, bytes]:
        """Give what was signed."""
        if self.failure:
            raise self.failure
        return "application/vnd.in-toto+json", self.payload


def test_an_identity_signs(decided: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is signed is the statement, and a bundle is verified against identity and issuer."""
    services = Services(monkeypatch)
    from sigstore.errors import VerificationError

    assert decided(*SIGN, "identity")[0] == 0
    assert services.payload == Path("a.json").read_bytes()
    code, out, _ = decided(*VERIFY, *TRUSTED)
    assert code == 0
    assert f"by {TRUSTED[1]}" in out
    code, out, _ = decided(*VERIFY, "--identity", "https://eve.example", "--issuer", TRUSTED[3])
    assert code == 1
    assert "V_SIGNATURE_KEY" in out
    services.failure = VerificationError("no such log entry")
    code, out, _ = decided(*VERIFY, *TRUSTED)
    assert code == 1
    assert " V_SIGNATURE no such log entry" in out
    code, _, err = decided(*VERIFY, "--identity", TRUSTED[1])
    assert code == 2
    assert "--issuer" in err


def test_no_identity_does_not_sign(decided: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a token, or where the service fails, there is no signature and a way out."""
    services = Services(monkeypatch)
    services.token = None
    code, _, err = decided(*SIGN, "identity")
    assert code == 2
    assert "id-token: write" in err
    services.token = "placeholder"
    services.failure = ConnectionError("no route to host")
    code, _, err = decided(*SIGN, "identity")
    assert code == 2
    assert "Sigstore did not sign: no route to host" in err
    assert not Path("gate.json.sig").exists()


def test_what_could_not_be_read_is_not_signed(gate: Gate) -> None:
    """A decision without a readable candidate has nothing that could be signed for."""
    write_scene()
    Path("candidate/run.yaml").unlink()
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 4
    make_key("gate")
    code, out, _ = gate(*SIGN, "gate.key", "--policy", "policy.yaml")
    assert code == 1
    assert "V_RUN the decision could not read the candidate itself" in out
    assert not Path("gate.json.sig").exists()
    found = load(Path("gate.json").read_text(encoding="utf-8"))
    with pytest.raises(UsageError, match="nothing to sign"):
        sign_with_key(found, Path("gate.key").read_bytes())
