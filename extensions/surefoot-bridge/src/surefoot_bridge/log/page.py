"""A log as a page for a browser, in one file without anything from outside."""

import base64
from html import escape
from typing import Sequence

from .report import table_rows
from .summary import LogSummary

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1500px; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 0 0 1.5em; }
th, td { text-align: left; padding: .2em .8em .2em 0; border-bottom: 1px solid #ddd; }
td { font-variant-numeric: tabular-nums; }
img { width: 100%; }
"""


def page(summary: LogSummary, picture: bytes) -> str:
    """Return the page.

    Args:
        summary: The log in numbers.
        picture: The log as a PNG.
    """
    title = f"Log of {summary.robot}, {summary.started_utc}"
    source = base64.b64encode(picture).decode()
    tables = "".join(_table(name, head, rows) for name, head, rows in table_rows(summary))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n{tables}"
        f'<img alt="The log over time" src="data:image/png;base64,{source}"></body></html>\n'
    )


def _table(name: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    header = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<h2>{escape(name)}</h2>\n<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>\n"
