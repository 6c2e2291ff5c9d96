#!/usr/bin/env bash
# Sweeps for some minutes, and shows that the memory of each process stays as it is:
#
#   tests/fuzz/soak.sh 30
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
exec python3 "$here/soak.py" "$here/../../build/release/bin/windtunnel" --minutes "${1:-30}"
