"""The robot's log: written beside the control loop without ever holding it up, read back as arrays.

Logs are MCAP files, which Foxglove shows as they are. Writing and reading them needs the ``mcap`` package:
``pip install 'surefoot-bridge[log]'``.
"""

from .measures import summarise
from .opening import LogOptions, open_log
from .picture import plot
from .reader import Log, Topic, read_log
from .summary import LogSummary
from .writer import LogStatus, LogWriter

__all__ = [
    "Log",
    "LogOptions",
    "LogStatus",
    "LogSummary",
    "LogWriter",
    "Topic",
    "open_log",
    "plot",
    "read_log",
    "summarise",
]
