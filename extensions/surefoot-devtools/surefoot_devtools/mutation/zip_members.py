"""The files in a zip archive."""

import io
import zipfile


def zip_members(data: bytes) -> dict[str, bytes]:
    """Return the content of the files in an archive by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
