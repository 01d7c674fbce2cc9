"""Keys for the tests of signatures."""

from pathlib import Path

from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def make_key(name: str) -> None:
    """Write a key pair, as `openssl genpkey -algorithm ed25519` does."""
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    public = key.public_key().public_bytes(
        form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo
    )
    Path(f"{name}.key").write_bytes(private)
    Path(f"{name}.pub").write_bytes(public)
