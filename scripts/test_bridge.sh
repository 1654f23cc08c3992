#!/usr/bin/env bash
# Test surefoot-bridge as a robot's computer has it: on old Pythons, installed, with NumPy alone.
# Each Python that this machine has is used; which it lacks is said. Its environments stay in .cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

runs() { [ "$("$1" -c 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$2" ]; }

# A pythonX.Y on the PATH may be a shim that fails, so each candidate has to run.
find_python() {
  local candidate
  for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python"$1"; do
    if runs "$candidate" "$1"; then command -v "$candidate"; return; fi
  done
  command -v uv >/dev/null && candidate=$(uv python find --no-project "$1" 2>/dev/null) && echo "$candidate"
}

failed=0
for version in ${*:-3.8 3.10}; do
  python=$(find_python "$version") || { echo "surefoot-bridge on Python $version: not tested, this machine has none"; continue; }
  venv=.cache/bridge-$version
  log=$venv/tests.log
  [ -x "$venv/bin/pytest" ] || {
    rm -rf "$venv"
    "$python" -m venv "$venv"
    PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/pip" install -q --no-input pytest
  }
  # Not editable: what is tested is what a wheel holds.
  PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/pip" install -q --no-input --force-reinstall --no-deps extensions/surefoot-bridge
  "$venv/bin/python" -c 'import numpy' 2>/dev/null || "$venv/bin/pip" install -q --no-input numpy
  numpy=$("$venv/bin/python" -c 'import numpy; print(numpy.__version__)')
  if (cd extensions/surefoot-bridge && "../../$venv/bin/pytest" -q -rfE -p no:cacheprovider -o pythonpath=tests -m "not slow" tests) >"$log" 2>&1; then
    echo "surefoot-bridge on Python $version with NumPy $numpy alone: $(tail -n 1 "$log")"
  else
    failed=1
    tail -n 40 "$log"
    echo "surefoot-bridge on Python $version with NumPy $numpy alone: failed; log: $log"
  fi
done
exit $failed
