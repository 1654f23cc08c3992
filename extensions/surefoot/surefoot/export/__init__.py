"""From a checkpoint to a bundle: contract, network, golden trace, manifest.

``surefoot.export(...)`` does it from Python: the package is called like the function, since a package and a function
cannot share a name.
"""

import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    def __call__(self, *positional: Any, **options: Any) -> int:
        """Turn a policy into a bundle, see :func:`surefoot.notebook.export`."""
        from surefoot.notebook import export

        return export(*positional, **options)


sys.modules[__name__].__class__ = _CallablePackage
