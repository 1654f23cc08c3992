"""The subcommands of ``surefoot``, one module to each, imported only when it is called."""
