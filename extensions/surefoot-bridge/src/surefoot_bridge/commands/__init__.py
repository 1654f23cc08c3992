"""The subcommands of ``surefoot-bridge``, one module each."""
