"""The signature of a bundle: ed25519 over the canonical manifest, which lists the hash of every file.

Keys are the 32 raw bytes of ed25519 in base64. The key in ``manifest.json.sig`` says who claims to have signed; whom to
trust is for the one who loads the bundle to say.
"""

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Optional, Tuple

from surefoot_bridge.contract.strict_json import from_data, parse_json, to_json
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import KEY_BYTES, from_base64, write_whole

from .manifest import MANIFEST_FILE, SIGNATURE_FILE, Manifest, canonical, read_files

_SIGNATURE_BYTES = 64


@dataclass(frozen=True)
class Signature:
    """Content of ``manifest.json.sig``.

    Attributes:
        algorithm: ``ed25519``.
        public_key: Key of the signer, 32 bytes in base64.
        signature: Signature over the canonical manifest, 64 bytes in base64.
    """

    algorithm: Literal["ed25519"]
    public_key: str
    signature: str


def new_key() -> Tuple[str, str]:
    """Return a new private key, which is to be kept secret, and its public key."""
    ed25519, _ = _library()
    private = ed25519.Ed25519PrivateKey.generate()
    return _encode(_raw_private(private)), _encode(_raw_public(private))


def sign_bundle(folder: Path, private_key: str) -> Signature:
    """Check a bundle's files against its manifest and write ``manifest.json.sig``.

    Args:
        folder: The bundle.
        private_key: Private key, 32 bytes in base64.

    Raises:
        SurefootError: If the files are not what the manifest says, or the key is none.
    """
    ed25519, _ = _library()
    secret = _decode(private_key, KEY_BYTES, "The private key", show=False)
    private = ed25519.Ed25519PrivateKey.from_private_bytes(secret)
    manifest, _ = read_files(folder)
    signature = Signature("ed25519", _encode(_raw_public(private)), _encode(private.sign(canonical(manifest))))
    write_whole(Path(folder) / SIGNATURE_FILE, to_json(signature).encode())
    return signature


def check_signature(manifest: Manifest, content: Optional[bytes], required_key: str, *, folder: Path) -> None:
    """Refuse a manifest that was not signed with a key.

    Args:
        manifest: The manifest.
        content: Content of ``manifest.json.sig``; None where there is none.
        required_key: Public key that must have signed it, 32 bytes in base64.
        folder: The bundle, for messages.

    Raises:
        SurefootError: If there is no signature, one by another key, or one of something else.
    """
    required = _decode(required_key, KEY_BYTES, "--public-key")
    where = str(Path(folder) / SIGNATURE_FILE)
    if content is None:
        raise SurefootError(
            f"{folder} is not signed: it has no {SIGNATURE_FILE}, and a signature by {required_key} is required. "
            "Sign it with that key (surefoot export ... --sign FILE), or take a bundle that is."
        )
    data = parse_json(content.decode(errors="replace"), what=where)
    signature = from_data(Signature, data, what=where)
    if _decode(signature.public_key, KEY_BYTES, f"public_key in {where}") != required:
        raise SurefootError(f"{where} is by the key {signature.public_key}; required is one by {required_key}.")
    signed = _decode(signature.signature, _SIGNATURE_BYTES, f"signature in {where}")
    ed25519, invalid_signature = _library()
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(required).verify(signed, canonical(manifest))
    except invalid_signature:
        raise SurefootError(
            f"{where} is no signature by {required_key} of this {MANIFEST_FILE}: one of the two was changed. "
            "Copy the bundle again, or sign it again after having looked at what was changed."
        ) from None


def _library() -> Tuple[Any, Any]:
    """Import what signs; returns its ed25519 module and the error for signatures that do not hold."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise SurefootError(
            "Signatures need the package cryptography: pip install 'surefoot-bridge[signing]'."
        ) from error
    return ed25519, InvalidSignature


def _raw_private(private: Any) -> bytes:
    from cryptography.hazmat.primitives import serialization as s

    return private.private_bytes(s.Encoding.Raw, s.PrivateFormat.Raw, s.NoEncryption())


def _raw_public(private: Any) -> bytes:
    from cryptography.hazmat.primitives import serialization as s

    return private.public_key().public_bytes(s.Encoding.Raw, s.PublicFormat.Raw)


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _decode(text: str, num_bytes: int, what: str, *, show: bool = True) -> bytes:
    data = from_base64(text, num_bytes)
    if not data:
        shown = f" is {text!r}; it" if show else ""
        raise SurefootError(f"{what}{shown} must be {num_bytes} bytes in base64.")
    return data
