"""What ``make docs`` adds to the pages in docs/: mkdocs.yml names this file as its hook.

- Pages that lie elsewhere, such as the README, and files that pages link to become part of the site.
- Reference pages are made by listing the packages, a page to a folder of modules; docstrings are read from the source.
- The refusals of all packages are collected from the source into one page.
- In the navigation ``FOLDER/*.md`` stands for all pages of a folder.
"""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))  # mkdocs loads a hook from its file

from refusals import refusals

ROOT = Path(__file__).resolve().parents[1]

ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "docker/README.md": "containers.md",
}
"""Pages outside docs/, by their place in the repository, with their place in the site."""

ATTACHED = "repository"
"""Folder of the site for other files of the repository that pages link to."""

REFUSALS = "reference/refusals.md"

_PACKAGES = ("extensions/*/*/py.typed", "extensions/*/src/*/py.typed", "r*/*/py.typed", "tasks/*/py.typed")
_ROLE = re.compile(r":(?:mod|class|func|meth|attr|data|exc|obj):<code>(~?)([\w.]+)(?:\(\))?</code>")
_LINK = re.compile(r'(?<=\]\()[^)\s#:]+(?=[)#])|(?<=src=")[^"#:]+(?=["#])')


@event_priority(100)  # mkdocstrings reads its settings at the same event
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Tell mkdocstrings where the packages are, and list the pages of whole folders in the navigation."""
    handlers = config.plugins["mkdocstrings"].config["handlers"]
    handlers["python"]["paths"] = [str(package.parent) for package in packages()]
    made = [*reference_pages(), REFUSALS, *(p.relative_to(config.docs_dir).as_posix() for p in pages_in(config))]
    config.nav = _listed(config.nav, made)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is not in docs/, and turn links between files of the repository into links of the site."""
    written = {f"docs/{path.relative_to(config.docs_dir).as_posix()}": path for path in pages_in(config)}
    attached: set[str] = set()
    for place in [*written, *ELSEWHERE]:
        uri = site_place(place)
        if file := files.get_file_from_path(uri):
            files.remove(file)
        text = (ROOT / place).read_text(encoding="utf-8")
        files.append(File.generated(config, uri, content=relinked(text, place, attached)))
    for place in sorted(attached):
        source = str(ROOT / place)
        files.append(
            File.generated(config, site_place(place), abs_src_path=source, inclusion=InclusionLevel.NOT_IN_NAV)
        )
    for uri, modules in reference_pages().items():
        package = Path(uri).stem
        text = f"# `{package}`\n\n" + "\n".join(f"::: {module}\n" for module in modules)
        files.append(File.generated(config, uri, content=text))
    files.append(File.generated(config, REFUSALS, content=refusals_page()))
    return files


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Turn the roles of docstrings, such as :class:`Files`, into links where the reference has what they name."""

    def turned(match: re.Match[str]) -> str:
        short, name = match[1], match[2]
        shown = f"<code>{name.rpartition('.')[2] if short else name}</code>"
        return f'<autoref optional identifier="{name}">{shown}</autoref>' if "." in name else shown

    return _ROLE.sub(turned, html) if page.file.src_uri.startswith("reference/") else html


def packages() -> list[Path]:
    """Return the folders of our packages."""
    return sorted(path.parent for pattern in _PACKAGES for path in ROOT.glob(pattern))


def pages_in(config: MkDocsConfig) -> list[Path]:
    """Return the pages written in docs/."""
    return sorted(Path(config.docs_dir).rglob("*.md"))


def reference_pages() -> dict[str, list[str]]:
    """Return the pages of the reference, each with the modules on it; a page is a folder of modules."""
    pages: dict[str, list[str]] = defaultdict(list)
    for package in packages():
        for path in sorted(package.rglob("*.py")):
            module = path.relative_to(package.parent).with_suffix("")
            folder = ".".join(module.parts[:-1])
            name = folder if module.name == "__init__" else ".".join(module.parts)
            if module.name == "__init__" or not module.name.startswith("_"):
                pages[f"reference/{folder}.md"].append(name)
    return dict(pages)


def site_place(place: str) -> str:
    """Return where a file of the repository is in the site."""
    if place in ELSEWHERE:
        return ELSEWHERE[place]
    return place.removeprefix("docs/") if place.startswith("docs/") else f"{ATTACHED}/{place}"


def relinked(text: str, place: str, attached: set[str]) -> str:
    """Return a page with its links turned to where their files are in the site.

    Args:
        text: The page.
        place: Its place in the repository.
        attached: Gains the files that are linked to and are no pages.
    """

    def turned(match: re.Match[str]) -> str:
        target = os.path.normpath(Path(place).parent / match[0])
        if not (ROOT / target).is_file():
            return match[0]  # a page that is made, or nothing: mkdocs says so
        if target not in ELSEWHERE and not target.startswith("docs/"):
            attached.add(target)
        return os.path.relpath(site_place(target), Path(site_place(place)).parent)

    return _LINK.sub(turned, text)


def refusals_page() -> str:
    """Return the page of all refusals: by package, the messages as the source has them."""
    lines = [
        "# Refusals",
        "",
        "Every message with which a command or a function refuses something, collected from the source. `…` stands",
        "for what is filled in: the offending value, the valid ones.",
    ]
    for uri, modules in reference_pages().items():
        found = sorted({message for module in modules for message in refusals(source_of(module))})
        if found:
            shown = (re.sub(r"([<>*_`\[\]\\])", r"\\\1", message) for message in found)
            lines += ["", f"## `{Path(uri).stem}`", "", *(f"- {message}" for message in shown)]
    return "\n".join(lines)


def source_of(module: str) -> Path:
    """Return the file of a module."""
    first, *rest = module.split(".")
    (package,) = (folder for folder in packages() if folder.name == first)
    path = package.joinpath(*rest)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _listed(entry: Any, pages: list[str]) -> Any:
    """Return a part of the navigation in which each ``FOLDER/*.md`` is the list of the folder's pages."""
    if isinstance(entry, list):
        return [_listed(part, pages) for part in entry]
    if isinstance(entry, dict):
        return {title: _listed(part, pages) for title, part in entry.items()}
    if entry.endswith("/*.md"):
        folder = entry.removesuffix("*.md")
        return sorted(page for page in pages if page.startswith(folder))
    return entry
