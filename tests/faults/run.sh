#!/usr/bin/env bash
# Kills, full disks and closed streams, as faults.py describes them, with the release build:
#
#   tests/faults/run.sh --kills 500
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
build=$here/../../build/release
cmake --build "$build" --target windtunnel_cli windtunnel_simulator faults_writer faults_calls
exec python3 "$here/faults.py" "$build/bin" "$@"
