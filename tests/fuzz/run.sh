#!/usr/bin/env bash
# Fuzzes the targets of targets.cpp, each for some seconds, in a process for each processor:
#
#   tests/fuzz/run.sh --seconds 600                  ten minutes for each target, under the address sanitizer
#   tests/fuzz/run.sh --seconds 600 --quick          optimised and without the address sanitizer: several times the executions
#   tests/fuzz/run.sh --corpus                       each input that was kept, once, under the address sanitizer
#   tests/fuzz/run.sh --seconds 60 --target json
#   tests/fuzz/run.sh --seconds 60 --executions 1000000        ends a target that has as many, all runs together
#   tests/fuzz/run.sh --seconds 5 --seed 1           the same inputs each time, as far as the seconds go
#
# Inputs that take a new branch are kept in build/fuzzed/TARGET/corpus, by both programs, so the next run goes on from
# there. Inputs that show a defect are in build/fuzzed/TARGET/found, with what was printed in log. Copy such a file to
# tests/fuzz/found/TARGET/, where an ordinary test replays it, and mend the code. The columns: executions of this run and
# of all, branches that were taken, inputs in the corpus, defects of this run, seconds. Exit code 1: there are some defects.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
preset=asan
seconds=60
seed=0  # libFuzzer draws one
targets=()
only_corpus=
enough=0           # executions of a target, all runs together; 0: no number is
most_findings=5    # of a target and run: the same defect is found again and again

while (($#)); do
  case $1 in
    --quick) preset=fuzz ;;
    --corpus) only_corpus=1 ;;
    --seconds) seconds=$2; shift ;;
    --executions) enough=$2; shift ;;
    --target) targets+=("$2"); shift ;;
    --seed) seed=$2; shift ;;
    *) sed -n '2,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
  esac
  shift
done

program=$root/build/$preset/bin/windtunnel_fuzz
state=$root/build/fuzzed
[[ -x $program ]] || {
  cmake --preset "$preset" -S "$root" && cmake --build "$root/build/$preset" --target windtunnel_fuzz
} >&2
((${#targets[@]})) || readarray -t targets < <("$program" --list)

export ASAN_OPTIONS=detect_leaks=0:handle_abort=1 UBSAN_OPTIONS=print_stacktrace=1

last_of() { grep -aoE "$2" "$1" | tail -n 1 | grep -oE '[0-9]+' || echo 0; }

executions_of() { cat "$state/$1/executions" 2>/dev/null || echo 0; }

# libfuzzer TARGET FOLDER OPTIONS...: one process, until it has found something or is done. Without its entropic schedule,
# whose tables of rare branches took four fifths of the time of targets that reach most of the program.
libfuzzer() {
  local target=$1 folder=$2
  "$program" "--target=$target" "${@:3}" "$folder/corpus" "$folder/seeds" -dict="$folder/dictionary" \
    -max_len="$("$program" --longest "$target")" -artifact_prefix="$folder/found/" -seed="$seed" -timeout=60 \
    -entropic=0 -rss_limit_mb=3000 -print_final_stats=1 >"$folder/log" 2>&1 </dev/null
}

fuzz() {
  local target=$1 folder=$state/$1 begin=$SECONDS before executions=0 branches=0 findings=0 status left
  mkdir -p "$folder/corpus" "$folder/found"
  "$program" --seeds "$target" "$folder/seeds"
  "$program" --dictionary "$target" "$folder/dictionary"
  [[ -s $folder/dictionary ]] || echo '"0"' >"$folder/dictionary"  # libFuzzer takes no empty one
  before=$(executions_of "$target")
  while left=$((begin + seconds - SECONDS)) && ((left > 0 && findings < most_findings)); do
    local -a until=("-max_total_time=$left")
    ((enough == 0)) || until+=("-runs=$((enough - before - executions))")
    ((enough == 0 || enough > before + executions)) || break
    [[ -z $only_corpus ]] || until=(-runs=0)
    status=0
    libfuzzer "$target" "$folder" "${until[@]}" || status=$?
    executions=$((executions + $(last_of "$folder/log" '(number_of_executed_units: |^#)[0-9]+')))
    branches=$(last_of "$folder/log" 'cov: [0-9]+')
    ((status == 0)) || { findings=$((findings + 1)); cp "$folder/log" "$folder/found/log-$(date +%s)"; }
    [[ -z $only_corpus ]] || break
  done
  [[ -z $only_corpus ]] || executions=0  # they were counted when they were found
  echo $((before + executions)) >"$folder/executions"
  printf '%-20s %12d %12d %9d %7d %8d %8d\n' "$target" "$executions" "$((before + executions))" "$branches" \
    "$(ls "$folder/corpus" | wc -l)" "$findings" "$((SECONDS - begin))"
}

export -f fuzz libfuzzer last_of executions_of
export state program seconds seed enough most_findings only_corpus
printf '%-20s %12s %12s %9s %7s %8s %8s\n' target executions "of all runs" branches corpus defects seconds
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}' | tee "$root/build/fuzz.table"
awk '{ defects += $6 } END { exit defects > 0 }' "$root/build/fuzz.table"
