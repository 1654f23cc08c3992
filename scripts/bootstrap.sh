#!/usr/bin/env bash
# Make the checkout's .venv: find Python 3.12, install the pinned packages and the three distributions in place.
# Does nothing when the environment already matches. One whose making was cut short is made afresh; one that was whole
# and is out of date is brought up to date in place.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.venv
stamp=$venv/surefoot-stamp      # what the finished environment was made from
unfinished=$venv/surefoot-unfinished
log=.cache/bootstrap.log
wanted=$(cat pyproject.toml extensions/surefoot-*/pyproject.toml constraints.txt | sha256sum | cut -d' ' -f1)

runs_312() { [ "$("$1" -c 'import sys, venv, ensurepip; print(sys.version_info[:2])' 2>/dev/null)" = "(3, 12)" ]; }

# A python3.12 on the PATH may be a shim that fails, so each candidate has to run.
find_python() {
  local candidate
  if [ -n "${PYTHON:-}" ]; then
    runs_312 "$PYTHON" && command -v "$PYTHON"
    return
  fi
  for candidate in python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12*/bin/python3.12 python3; do
    if runs_312 "$candidate"; then command -v "$candidate"; return; fi
  done
  if command -v uv >/dev/null; then
    candidate=$(uv python find --no-project 3.12 2>/dev/null) ||
      { uv python install 3.12 >&2 && candidate=$(uv python find --no-project 3.12); } || return 1
    if runs_312 "$candidate"; then echo "$candidate"; return; fi
  fi
  return 1
}

is_current() { [ ! -e $unfinished ] && [ "$(cat $stamp 2>/dev/null)" = "$wanted" ]; }

is_current && exit 0
mkdir -p .cache
exec 9>.cache/bootstrap.lock
flock 9  # a second `make` waits for the first; who installs inherits the lock and holds it even when this script is killed
is_current && exit 0

if [ -e $unfinished ] || ! runs_312 $venv/bin/python; then
  python=$(find_python) || {
    cat >&2 <<EOF
Surefoot needs Python 3.12 with the venv module; ${PYTHON:-what is on the PATH, under pyenv and known to uv} is none.
Install it in one of these ways, then run the same command again:
  apt-get install python3.12 python3.12-venv     (Ubuntu 24.04)
  pyenv install 3.12
  pip install uv                                 (uv then fetches Python 3.12 itself)
or name one:  PYTHON=/path/to/python3.12 make ...
EOF
    exit 2
  }
  echo "Making $venv with $python"
  rm -rf $venv
  mkdir $venv
  touch $unfinished
  "$python" -m venv $venv
fi
rm -f $stamp

packages=(--constraint constraints.txt -e extensions/surefoot-bridge -e '.[dev]' -e extensions/surefoot-devtools)
SECONDS=0
trap 'exit 130' INT TERM

# uv does not read what pip is configured with: where packages come from, and which versions of them there are.
pip_setting() { $venv/bin/pip config list 2>/dev/null | sed -nE "s/^[^=]*\.$1='(.*)'$/\1/p" | head -n 1; }

# uv unpacks on all processors and shows how far it is; pip, which takes several times as long, comes with Python.
install_by_uv() {
  local uv options=() url
  uv=$(command -v uv) || {
    $venv/bin/pip install --quiet --retries 1 --timeout 15 --constraint constraints.txt uv >$log 2>&1 || return 1
    uv=$venv/bin/uv
  }
  for url in $(pip_setting index-url); do options+=(--default-index "$url"); done
  for url in $(pip_setting extra-index-url); do options+=(--index "$url"); done
  for url in $(pip_setting find-links); do options+=(--find-links "$url"); done
  "$uv" pip install --python $venv/bin/python --index-strategy unsafe-best-match "${options[@]}" "${packages[@]}"
}

install_by_pip() {
  PIP_DISABLE_PIP_VERSION_CHECK=1 $venv/bin/pip install --no-input "${packages[@]}" >$log 2>&1 &
  local pip=$! there
  trap 'kill $pip 2>/dev/null; exit 130' INT TERM
  while kill -0 $pip 2>/dev/null; do
    sleep 1
    [ $((SECONDS % 20)) -ne 0 ] || {
      there=$(find $venv -name '*.dist-info' -prune -print | wc -l)
      echo "  ${SECONDS} s: $there packages are in; $(grep -E '^(Collecting|  Downloading|Installing|Building)' $log | tail -n 1 | cut -c1-70)"
    }
  done
  wait $pip || {
    echo "Installing failed; the last lines of $log:" >&2
    tail -n 15 $log >&2
    exit 2
  }
}

echo "Installing $(grep -c == constraints.txt) pinned packages (about 9 GB)"
install_by_uv || {
  echo "uv could not install them; pip does, which takes about four minutes (log: $log)"
  install_by_pip
}
echo "$wanted" >$stamp
rm -f $unfinished
echo "$venv is ready after ${SECONDS} s"
