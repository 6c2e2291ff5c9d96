#!/bin/bash
# A sweep as an array of Slurm jobs: each task computes one shard, in a folder of its own, and continues that shard if it
# is started again. Usage:
#
#   sbatch --array=1-8 scenarios/sweeps/slurm_array.sh my_sweep.json out/my_sweep
#   windtunnel merge out/my_sweep.shard_*          # when all tasks have ended
#
# A task of a later array of the same size continues what an earlier one left. WINDTUNNEL names the program.
#SBATCH --job-name=windtunnel
#SBATCH --cpus-per-task=1
set -euo pipefail

sweep=$1
out=$2
shard=$SLURM_ARRAY_TASK_ID
of=$SLURM_ARRAY_TASK_MAX
exec "${WINDTUNNEL:-windtunnel}" sweep "$sweep" --shard "$shard/$of" --processes "${SLURM_CPUS_PER_TASK:-1}" \
     --out "$out.shard_${shard}_of_$of"
