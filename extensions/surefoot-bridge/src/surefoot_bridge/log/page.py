"""A log as a page for a browser, in one file without anything from outside."""

import base64
from html import escape
from typing import Sequence

from .report import table_rows
from .summary import LogSummary

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1500px; padding: 0 .7em; color: #222; }
table { border-collapse: collapse; margin: 0 0 1.5em; }
th, td { text-align: left; padding: .2em .8em .2em 0; border-bottom: 1px solid #ddd; }
td { font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
h1, td:nth-child(2):last-child { overflow-wrap: anywhere; }
td:nth-child(6):last-child { min-width: 18em; }
img { width: 100%; min-width: 1100px; }
"""


def page(summary: LogSummary, picture: bytes) -> str:
    """Return the page.

    Args:
        summary: The log in numbers.
        picture: The log as a PNG.
    """
    title = f"Log of {summary.robot}, {summary.started_utc}"
    source = base64.b64encode(picture).decode()
    tables = "".join(_table(name, head, rows) for name, head, rows in table_rows(summary) if rows)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n{tables}"
        f'<div class="wide"><img alt="The log over time" src="data:image/png;base64,{source}"></div></body></html>\n'
    )


def _table(name: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    header = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    table = f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>"
    return f'<h2>{escape(name)}</h2>\n<div class="wide">{table}</div>\n'
