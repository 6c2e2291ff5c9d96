#!/usr/bin/env bash
# Fuzzes the targets of targets.cpp, each for some seconds, in a process for each processor:
#
#   tests/fuzz/run.sh --seconds 600                  ten minutes for each target
#   tests/fuzz/run.sh --seconds 60 --target json
#   tests/fuzz/run.sh --seconds 5 --seed 1           the same inputs each time, as far as the seconds go
#
# Inputs that take a new branch are kept in build/asan/fuzz/TARGET/corpus, so the next run goes on from there. Inputs that
# show a defect are in build/asan/fuzz/TARGET/found, with what was printed in log. Copy such a file to tests/fuzz/found/TARGET/,
# where an ordinary test replays it, and mend the code. The columns: executions of this run and of all, branches that
# were taken, inputs in the corpus, defects of this run. Exit code 1: there are some.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
build=$root/build/asan
program=$build/bin/windtunnel_fuzz
seconds=60
seed=0  # libFuzzer draws one
targets=()
most_findings=5  # of a target and run: the same defect is found again and again

while (($#)); do
  case $1 in
    --seconds) seconds=$2 ;;
    --target) targets+=("$2") ;;
    --seed) seed=$2 ;;
    *) sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
  esac
  shift 2
done

[[ -x $program ]] || { cmake --preset asan -S "$root" && cmake --build "$build" --target windtunnel_fuzz; } >&2
((${#targets[@]})) || readarray -t targets < <("$program" --list)

export ASAN_OPTIONS=detect_leaks=0:handle_abort=1 UBSAN_OPTIONS=print_stacktrace=1

last_of() { grep -oE "$2" "$1" | tail -n 1 | grep -oE '[0-9]+' || echo 0; }

fuzz() {
  local target=$1 folder=$build/fuzz/$1 end=$((SECONDS + seconds)) left executions=0 branches=0 findings=0 status
  mkdir -p "$folder/corpus" "$folder/found"
  "$program" --seeds "$target" "$folder/seeds"
  "$program" --dictionary "$target" "$folder/dictionary"
  [[ -s $folder/dictionary ]] || echo '"0"' >"$folder/dictionary"  # libFuzzer takes no empty one
  while left=$((end - SECONDS)) && ((left > 0 && findings < most_findings)); do
    status=0
    "$program" "--target=$target" "$folder/corpus" "$folder/seeds" -dict="$folder/dictionary" -max_total_time="$left" \
      -max_len="$("$program" --longest "$target")" -artifact_prefix="$folder/found/" -seed="$seed" -timeout=25 -rss_limit_mb=3000 \
      -print_final_stats=1 >"$folder/log" 2>&1 </dev/null || status=$?
    executions=$((executions + $(last_of "$folder/log" '(number_of_executed_units: |^#)[0-9]+')))
    branches=$(last_of "$folder/log" 'cov: [0-9]+')
    ((status == 0)) || { findings=$((findings + 1)); cp "$folder/log" "$folder/found/log-$(date +%s)"; }
  done
  echo $(($(cat "$folder/executions" 2>/dev/null || echo 0) + executions)) >"$folder/executions"
  printf '%-20s %12d %12d %9d %7d %8d\n' "$target" "$executions" "$(cat "$folder/executions")" "$branches" \
    "$(ls "$folder/corpus" | wc -l)" "$findings"
}

export -f fuzz last_of
export build program seconds seed most_findings
printf '%-20s %12s %12s %9s %7s %8s\n' target executions "of all runs" branches corpus defects
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}' | tee "$build/fuzz.table"
awk '{ defects += $6 } END { exit defects > 0 }' "$build/fuzz.table"
