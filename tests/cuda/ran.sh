#!/usr/bin/env bash
# Runs the tests of a GPU by what they claim, and writes what passed, on which GPU, with which driver and when, as a table
# into README.md between its two marks. run.sh calls it.
#
#   tests/cuda/ran.sh PROGRAM README GPU DRIVER     the program is test_cuda
#
# Exit 0 all passed, 1 a test failed (its row says so, and its text is on stderr).
set -uo pipefail

program=$1 readme=$2 gpu=$3 driver=$4
begin='<!-- written by tests/cuda/run.sh -->' end='<!-- end -->'
claims=(
  "kernels give the CPU's numbers|*Kernel*:*CudaTable*"
  "steps of models, as CUDA graphs|CudaExecution.*-*TakeTurns*"
  "replicas in turns, parked in page-locked memory|*TakeTurns*"
  "streams, memory and copies|CudaQueueTest.*"
  "NCCL's collectives|NcclTest.*"
)
log=$(mktemp) table=$(mktemp "$(dirname "$readme")/.ran.XXXXXX")
trap 'rm -f "$log" "$table"' EXIT
grep -qxF "$begin" "$readme" && grep -qxF "$end" "$readme" || { echo "$readme has no place for the table" >&2; exit 1; }

counted() { grep -oP "^\[ +$1 +\] \K[0-9]+(?= tests?[.,])" "$log" | head -n 1 || true; }

failures=0
row() {  # NAME FILTER
  "$program" "--gtest_filter=$2" >"$log" 2>&1
  local status=$? passed failed skipped result
  passed=$(counted PASSED) failed=$(counted FAILED) skipped=$(counted SKIPPED)
  result="${passed:-0} passed"
  ((${skipped:-0} == 0)) || result+=", $skipped skipped"
  if ((status != 0)); then
    result+=", ${failed:-the rest} FAILED"
    failures=1
    grep -A 4 'Failure$' "$log" >&2
  fi
  echo "| $1 | $result | $gpu | $driver | $(date +%F) |"
}

{
  sed "\|^$begin\$|q" "$readme"
  echo '| what | tests | GPU | driver | date |'
  echo '|---|---|---|---|---|'
  for claim in "${claims[@]}"; do row "${claim%%|*}" "${claim#*|}"; done
  sed -n "\|^$end\$|,\$p" "$readme"
} >"$table"
chmod --reference="$readme" "$table" && mv "$table" "$readme"
exit $failures
