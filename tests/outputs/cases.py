"""What is stored: every command that is run, as tables.

A case is one command and the folder that keeps its outputs, e.g. scenarios/quickstart/run. Commands run in the
folder of the store, where inputs/ holds copies of the scenarios and of the published measurements. All paths
in them are therefore relative, and the same in every store.
"""

from typing import NamedTuple, Optional


class Case(NamedTuple):
    folder: str  # group/name/command
    arguments: tuple  # without the binary
    stdout: str = "stdout.txt"  # the name says how the comparison parses it
    results: Optional[str] = None  # folder that the command writes
    keeps_results: bool = True


# ---- Scenarios

# {results} stands for the folder that --out names, in the folder of the case.
SCENARIO_COMMANDS = {
    "run": (("run", "{file}", "--out", "{results}"), "stdout.txt"),
    "plan": (("run", "{file}", "--plan"), "stdout.txt"),
    "replicas": (("run", "{file}", "--replicas", "1,2,4,8", "--csv"), "stdout.csv"),
    "replicas_table": (("run", "{file}", "--replicas", "1,2,4,8"), "stdout.txt"),
    "explain": (("explain", "{file}"), "stdout.txt"),
    "explain_json": (("explain", "{file}", "--json"), "stdout.json"),
    "memory": (("validate", "--memory", "{file}"), "stdout.txt"),
    "placement": (("validate", "--placement", "{file}"), "stdout.txt"),
    # Its results are those of "run", so that only the log is kept.
    "log_device_placement": (("run", "{file}", "--log-device-placement", "--out", "{results}"), "stdout.txt"),
    "devices": (("devices", "{file}"), "stdout.txt"),
    "devices_json": (("devices", "{file}", "--json"), "stdout.json"),
    "verify_strategies": (("verify", "strategies", "{file}"), "stdout.txt"),
}

# Where 1,2,4,8 replicas are refused, and for large machines: counts that the scenario's machine has.
REPLICAS = {
    "central_storage_4_gpus": "1,2,4",
    "multi_worker_32_dgx_a100": "8,64,256",
    "quickstart": "1,2",
    "quickstart_16_rows_each": "1,2",
    "tpu_v3_8": "8,32",
    "tpu_v3_model_parallel": "4,16",
    "tpu_v4_resnet50": "4,8,16,32,64",
    "two_virtual_gpus": "1",
}

# Paths that no shipped scenario takes as it stands: the scenario, and what --set changes in it.
VARIANTS = {
    "overlap": ("mirrored_dgx_a100", "strategy.overlap=true"),
    "every_move_played": ("mirrored_dgx_a100", "time.collectives=expanded"),
    "every_move_played_10gbe": ("multi_worker_8_k80_10gbe", "time.collectives=expanded"),
    "odd_number_of_devices": ("mirrored_hierarchical_copy", 'strategy.devices=["GPU:0","GPU:1","GPU:2"]'),
    "nccl_between_workers": ("multi_worker_2x2", "strategy.communication=nccl"),
    "collective_times_out": (
        "multi_worker_2x2",
        'strategy={"type":"multi_worker_mirrored","communication_options":{"timeout":"5 us"}}'),
    "reduction_to_one_device": ("quickstart_16_rows_each", "strategy.cross_device_ops=reduction_to_one_device"),
    "replicas_take_turns": ("quickstart_16_rows_each", 'host={"logical_devices":[{"memory_limit":"6 MiB"}]}'),
    "jitter_with_numbers": ("quickstart_16_rows_each", "time.jitter=0.05"),
    "slow_device": ("quickstart_16_rows_each", 'faults=[{"slow":"GPU:1","factor":1.3,"from_step":5}]'),
    "measured_step": ("quickstart_16_rows_each", 'time.measured_step="1 ms"'),
    "custom_loop_mirrored": ("fashion_cnn_custom_loop", "platform=workstation_2x4090", "strategy.type=mirrored"),
    "batch_that_fits": ("resnet50_memory", "training.per_replica_batch=9"),
}
VARIANT_COMMANDS = ("run", "plan", "explain_json")

# One table over several scenarios.
COMPARED = ("quickstart_16_rows_each", "central_storage_4_gpus", "tpu_v3_8")

# ---- Collectives and platforms

TWO_DGX_A100 = ("dgx_a100", "machines=2")
PLATFORMS = {
    "dgx_a100": ("dgx_a100",),
    "dgx_a100_x2": TWO_DGX_A100,
    "dgx_h100": ("dgx_h100",),
    "dgx1_v100": ("dgx1_v100",),
    "aws_p5_48xlarge": ("aws_p5_48xlarge",),
    "gb200_nvl72": ("gb200_nvl72",),
    "hgx_mi300x": ("hgx_mi300x",),
    "workstation_4gpu_pcie": ("workstation_4gpu_pcie",),
    "workstation_8x4090_2socket": ("workstation_8x4090_2socket",),
    "tpu_v4_4x4x4": ("tpu_v4", "slice=4x4x4"),
    "tpu_v5e_two_slices": ("tpu_v5e", "slice=8x8", "slices=2"),
    "ideal_ring": ("ideal_ring",),
    "ideal_torus": ("ideal_torus",),
    "cpu_cluster_10gbe": ("cpu_cluster_10gbe",),
}
SIZES = ("-b", "1K", "-e", "1G", "-f", "32")

# Other questions about collectives: the platform, and more options.
COLLECTIVES = {
    **{operation: (TWO_DGX_A100, "--op", operation)
       for operation in ("reduce_scatter", "all_gather", "broadcast", "reduce", "gather", "scatter", "all_to_all")},
    "all_to_all_nvl72": (("gb200_nvl72",), "--op", "all_to_all"),
    "all_algorithms": (("dgx1_v100",), "--algorithm", "all"),
    "concurrent": (TWO_DGX_A100, "--concurrent", "8"),
    "threads": (("dgx_h100",), "--launch", "threads"),
    "tiny_message": (("dgx_h100",), "--tiny-message", "17us"),
    "expanded": (("dgx_h100",), "--expanded"),
    "links": (("dgx1_v100",), "--links"),
}

# ---- The rest

OTHERS = {
    "list/everything/json": (("list", "--json"), "stdout.json"),
    "list/everything/table": (("list",), "stdout.txt"),
    "verify/collectives/table": (("verify", "collectives", "--ranks", "2-8"), "stdout.txt"),
    "verify/measurements/csv": (("verify", "measurements", "inputs/measurements", "--csv"), "stdout.csv"),
    "verify/measurements/table": (("verify", "measurements", "inputs/measurements"), "stdout.txt"),
    "verify/scaling/csv": (("verify", "scaling", "inputs/measurements", "--csv"), "stdout.csv"),
    "verify/nccl_tests/csv": (("verify", "nccl-tests", "inputs/measurements/nccl", "--csv"), "stdout.csv"),
}

# These take most of the time. They begin first, and --quick leaves them out.
SLOW = ("verify/scaling/csv", "scenarios/multi_worker_32_dgx_a100/explain",
        "scenarios/multi_worker_32_dgx_a100/explain_json")


def scenario_case(group, name, scenario, command, sets=()):
    arguments, stdout = SCENARIO_COMMANDS[command]
    folder = f"{group}/{name}/{command}"
    results = f"{folder}/results" if "{results}" in arguments else None
    words = [word.format(file=f"inputs/scenarios/{scenario}.json", results=results) for word in arguments]
    for text in sets:
        words += ["--set", text]
    return Case(folder, tuple(words), stdout, results, command != "log_device_placement")


def platform_words(platform):
    name, *sets = platform
    return (name, *(word for text in sets for word in ("--set", text)))


def collective_cases(name, platform, options):
    words = ("collective", "--platform", *platform_words(platform), *SIZES, *options)
    return [Case(f"collective/{name}/table", words), Case(f"collective/{name}/json", (*words, "--json"), "stdout.json")]


def all_cases(scenarios, sets_of_measured):
    """scenarios: the names of the files. sets_of_measured: for those that measure kernels, their --set."""
    cases = [scenario_case("scenarios", name, name, command, sets_of_measured.get(name, ()))
             for name in scenarios for command in SCENARIO_COMMANDS]
    for name, counts in REPLICAS.items():
        arguments = ("run", f"inputs/scenarios/{name}.json", "--replicas", counts, "--csv")
        cases.append(Case(f"scenarios/{name}/more_replicas", arguments, "stdout.csv"))
    for name, (scenario, *sets) in VARIANTS.items():
        cases += [scenario_case("variants", name, scenario, command, sets) for command in VARIANT_COMMANDS]
    files = [f"inputs/scenarios/{scenario}.json" for scenario in COMPARED]
    compared = "several/compared/run"
    cases.append(Case(compared, ("run", *files, "--out", f"{compared}/results", "--csv"), "stdout.csv",
                      f"{compared}/results"))
    for name, platform in PLATFORMS.items():
        cases += collective_cases(f"all_reduce_{name}", platform, ())
        cases += [Case(f"export/{name}/{form}", ("export", *platform_words(platform), "--as", form))
                  for form in ("simgrid", "dot")]
    for name, (platform, *options) in COLLECTIVES.items():
        cases += collective_cases(name, platform, options)
    cases += [Case(folder, arguments, stdout) for folder, (arguments, stdout) in OTHERS.items()]
    return sorted(cases, key=lambda case: case.folder not in SLOW)
