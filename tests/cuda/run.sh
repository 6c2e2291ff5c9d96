#!/usr/bin/env bash
# The checks that need a GPU. Builds tests/cuda with the libraries that it needs (without SimGrid and the command line), runs
# the tests, writes what passed on which GPU into README.md (ran.sh), and prints the tables of the benchmarks, next to
# PyTorch's times where python3 has it.
#
#   tests/cuda/run.sh                     everything, for the GPU at hand; under 15 minutes on 16 cores
#   tests/cuda/run.sh --only WORD         only models whose name contains it
#   tests/cuda/run.sh --architectures 90  compile for these ("75;80;86;89;90" for all); without a GPU, compile only
#   tests/cuda/run.sh --bundle FOLDER     copy the Debian packages it compiles with into a folder, for a machine that can
#                                         install none: there, WT_BUNDLE=FOLDER tests/cuda/run.sh
#
# Exit 0 done, 1 a test failed, 2 there is no GPU or a tool is missing, 3 it doesn't compile.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
build=$root/build/only_cuda
packages=(libfmt-dev libfmt9 nlohmann-json3-dev libeigen3-dev libpugixml-dev libpugixml1v5 libgtest-dev)
PATH=$root/build/cuda/bin:$PATH:/usr/local/cuda/bin  # The first folder is where ./windtunnel get cuda installs.
architectures=
only=
start=$SECONDS

say() { printf 'tests/cuda: %s\n' "$*" >&2; }
give_up() { say "$2"; exit "$1"; }
has_gpu() { [[ -e /dev/nvidia0 || -e /dev/dxg ]]; }

bundle() {
  local package file
  for package in "${packages[@]}"; do
    dpkg -L "$package" >/dev/null 2>&1 || { say "$package is not installed here; left out"; continue; }
    while IFS= read -r file; do
      [[ -f $file && $file != /usr/share/doc/* ]] || continue
      mkdir -p "$1${file%/*}" && cp -a "$file" "$1$file"
    done < <(dpkg -L "$package")
  done
  say "copied to $1: $(du -sh "$1" | cut -f1)"
}

while (($#)); do
  case $1 in
    --only) only=${2:-}; shift ;;
    --architectures) architectures=${2:-}; shift ;;
    --bundle) [[ -n ${2:-} ]] || give_up 2 "--bundle wants a folder"; bundle "$2"; exit 0 ;;
    *) give_up 2 "\"$1\" is no option; there are --only, --architectures, --bundle" ;;
  esac
  shift
done

# ---- Build

for tool in cmake ninja; do
  command -v "$tool" >/dev/null || give_up 2 "$tool is missing; install CMake and ninja"
done
command -v nvcc >/dev/null || give_up 2 "nvcc is missing; install the CUDA Toolkit 12 or newer and cuDNN, or type
  src/device/cuda/toolkit/install build/cuda"
has_gpu || [[ -n $architectures ]] ||
  give_up 2 "there is no GPU to run on (no /dev/nvidia0); --architectures 90 compiles all the same"

options=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DWT_ONLY_CUDA=ON -DWT_WORKERS=pool)
options+=("-DCMAKE_CUDA_ARCHITECTURES=${architectures:-native}")
[[ -z ${WT_BUNDLE:-} ]] || options+=("-DCMAKE_PREFIX_PATH=$(cd "$WT_BUNDLE" && pwd -P)/usr")
mkdir -p "$build"
say "building in $build"
{ cmake -S "$root" -B "$build" "${options[@]}" && cmake --build "$build" --target test_cuda bench_cuda -j "$(nproc)"; } \
  >"$build/log" 2>&1 || { tail -n 40 "$build/log" >&2; give_up 3 "it doesn't compile; all of it is in $build/log"; }
say "built in $((SECONDS - start)) s"
has_gpu || give_up 2 "compiled for $architectures; there is no GPU to run on (no /dev/nvidia0)"

# ---- Run

nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader
IFS=, read -r gpu driver < <(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)
"$root/tests/cuda/ran.sh" "$build/bin/test_cuda" "$root/README.md" "$gpu" "${driver# }"
tests=$?

lines=$build/bench.txt
"$build/bin/bench_cuda" $only | tee "$lines" >/dev/null || give_up 1 "a benchmark failed"
if python3 -c 'import torch' 2>/dev/null; then
  python3 "$root/tests/cuda/against_pytorch.py" $only >>"$lines" || say "PyTorch's side failed; ours is printed alone"
else
  say "python3 has no torch: no comparison with PyTorch"
fi

table() {  # HEADINGS KIND: the lines of a kind, in columns
  grep -q "^$2"$'\t' "$lines" || return
  { printf '%b\n' "$1"; grep "^$2"$'\t' "$lines" | cut -f2-; } | column -t -s $'\t'
  echo
}
echo
table 'model\trows\treplicas\tprecision\tgraph ms\tone by one ms\tby events ms\tnodes\tus less per node\trows/s\tMiB' step
table 'PyTorch\trows\tprecision\tway\tms\trows/s' torch
say "done in $((SECONDS - start)) s"
exit $((tests != 0))
