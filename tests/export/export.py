#!/usr/bin/env python3
"""Exported programs under TensorFlow: `windtunnel export tensorflow` writes them, and their losses are compared with `run`'s.

    python3 -m venv tf15 && tf15/bin/pip install tensorflow==2.15.1
    python3 -m venv tf21 && tf21/bin/pip install tensorflow==2.21.0 tf_keras==2.21.0
    tests/export/export.py --windtunnel build/release/bin/windtunnel tf15/bin/python tf21/bin/python

Scenarios are those of tests/export/scenarios.py, and shipped ones with --shipped. One with Keras 2's semantics runs under
both versions, and one with Keras 3's under TensorFlow 2.16 and later. A program of several processes has real ones,
on this machine, as job.sbatch starts them with --slurm or from the files of tf_config/. Manifests for Kubernetes are
checked if the first Python has kubernetes-validate. Prints a table with the largest difference of a loss, relative
to the largest loss, and exits 1 if one is above 1e-5.
"""

import argparse
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

import scenarios

LIMIT = 1e-5
SHIPPED = pathlib.Path(__file__).resolve().parents[2] / 'scenarios'
# Those that train on this machine in minutes, and whose losses don't depend on what is drawn.
SHIPPED_NAMES = ['central_storage_4_gpus', 'fashion_cnn_custom_loop', 'fit_with_callbacks', 'houses_csv', 'linear_fit',
                 'logistic_custom_loop', 'mirrored_hierarchical_copy', 'mirrored_small_batch', 'quickstart', 'tpu_v3_8',
                 'two_virtual_gpus']


def version_of(python):
    code = 'import tensorflow as tf; print(tf.__version__)'
    quiet = dict(os.environ, TF_CPP_MIN_LOG_LEVEL='3')
    text = subprocess.run([python, '-c', code], env=quiet, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return tuple(int(part) for part in text.stdout.decode().strip().split('.'))


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(('localhost', 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def local_configs(folder):
    """The files of tf_config/ with addresses of this machine. The first is that of the program whose losses count."""
    configs = [json.loads(path.read_text()) for path in sorted((folder / 'tf_config').glob('*.json'))]
    if not configs:
        return []
    addresses = [address for tasks in configs[0]['cluster'].values() for address in tasks]
    local = dict(zip(addresses, free_ports(len(addresses))))
    for config in configs:
        config['cluster'] = {role: [f'localhost:{local[address]}' for address in tasks]
                             for role, tasks in config['cluster'].items()}
    return sorted(configs, key=lambda config: (config['task']['type'] != 'chief', config['task']['index']))


def environment(**more):
    return dict(os.environ, TF_CPP_MIN_LOG_LEVEL='2', TF_ENABLE_ONEDNN_OPTS='0', CUDA_VISIBLE_DEVICES='-1', **more)


def start(python, folder, config, limit):
    more = {'TF_CONFIG': json.dumps(config)} if config else {}
    text = (folder / 'program.py').read_text()
    options = ['--cpus'] if "'--cpus'" in text else []
    name = f"{config['task']['type']}-{config['task']['index']}" if config else 'program'
    with open(folder.parent / f'{folder.name}-{name}.log', 'w') as log:
        return subprocess.Popen(['timeout', str(limit), python, 'program.py', *options], cwd=folder,
                                env=environment(**more), stdout=subprocess.PIPE, stderr=log)


def run_program(python, folder, limit=900):
    """Starts the program's processes, and returns what the chief prints."""
    processes = [start(python, folder, config, limit) for config in local_configs(folder) or [None]]
    printed, _ = processes[0].communicate()
    serving = 'server.join()' in (folder / 'program.py').read_text()
    for process in processes[1:]:
        if serving:
            process.terminate()
        process.wait()
    if processes[0].returncode != 0:
        log = sorted(folder.parent.glob(f'{folder.name}-*.log'))[0].read_text().strip().splitlines()
        raise RuntimeError(log[-1][:300] if log else f'exit {processes[0].returncode}')
    return [json.loads(line) for line in printed.decode().splitlines() if line.startswith('{')]


SRUN = """#!/bin/bash
# Starts a process for each task of the job, as srun does on a cluster.
while [[ "$1" == --* ]]; do shift; done
for ((rank = 1; rank < SLURM_NTASKS; ++rank)); do SLURM_PROCID=$rank "$@" > /dev/null & done
SLURM_PROCID=0 "$@"
code=$?
kill $(jobs -p) 2> /dev/null
exit $code
"""


def run_by_slurm(python, folder, limit=900):
    """Runs job.sbatch with an srun and a scontrol that know one host."""
    script = (folder / 'job.sbatch').read_text()
    tasks = re.search(r'--ntasks=(\d+)', script).group(1)
    with tempfile.TemporaryDirectory() as tools:
        for name, text in [('srun', SRUN), ('scontrol', '#!/bin/bash\necho localhost\n'),
                           ('python3', f'#!/bin/bash\nexec {python} "$@"\n')]:
            path = pathlib.Path(tools) / name
            path.write_text(text)
            path.chmod(0o755)
        slurm = environment(PATH=f"{tools}:{os.environ['PATH']}", SLURM_NTASKS=tasks, SLURM_JOB_NODELIST='localhost',
                            SLURM_SUBMIT_DIR=str(folder))
        with open(folder.parent / f'{folder.name}-slurm.log', 'w') as log:
            done = subprocess.run(['timeout', str(limit), 'bash', 'job.sbatch', '--cpus'], cwd=folder, env=slurm,
                                  stdout=subprocess.PIPE, stderr=log, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines() if line.startswith('{')]


def check_manifest(folder, validator):
    """Refuses a manifest that isn't valid against the schema of Kubernetes."""
    manifest = folder / 'kubernetes.json'
    if validator is None or not manifest.exists():
        return
    for item in json.loads(manifest.read_text())['items']:
        validator.validate(item, validator.latest_version(), strict=True)


def losses_of(printed):
    """Losses by what they are: steps where the loop is one's own, epochs, evaluations."""
    found = {}
    for line in printed:
        if 'evaluation' in line:
            found.setdefault('evaluation', []).append(line['evaluation']['loss'])
        elif 'step' in line:
            found.setdefault('step', []).append(line['loss'])
        elif 'epoch' in line:
            found.setdefault('epoch', []).append(line['loss'])
            if 'val_loss' in line:
                found.setdefault('evaluation', []).append(line['val_loss'])
    return found


def losses_of_run(results):
    found = {'step': [step['loss'] for step in results['steps']], 'epoch': [epoch['loss'] for epoch in results['epochs']]}
    evaluations = [epoch['evaluation']['loss'] for epoch in results['epochs'] if 'evaluation' in epoch]
    if 'evaluation' in results:
        evaluations.append(results['evaluation']['loss'])
    return dict(found, evaluation=evaluations)


def largest_difference(ours, theirs):
    largest = 0
    for kind, numbers in theirs.items():
        if len(numbers) != len(ours[kind]):
            raise RuntimeError(f'{len(numbers)} losses of {kind}, and run has {len(ours[kind])}')
        scale = max(abs(number) for number in ours[kind])
        largest = max([largest] + [abs(a - b) / scale for a, b in zip(ours[kind], numbers)])
    if not theirs.get('step') and not theirs.get('epoch'):
        raise RuntimeError('the program printed no losses')
    return largest


def call(windtunnel, *arguments):
    done = subprocess.run([windtunnel, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f'windtunnel {arguments[0]}: {done.stderr.strip()[-300:]}')


def compare(windtunnel, python, file, semantics, folder, slurm, validator):
    options = ['--set', f'semantics={semantics}']
    call(windtunnel, 'run', str(file), *options, '--out', str(folder / 'run'))
    call(windtunnel, 'export', 'tensorflow', str(file), *options, '--out', str(folder / 'program'))
    check_manifest(folder / 'program', validator)
    by_slurm = slurm and (folder / 'program' / 'job.sbatch').exists()
    printed = (run_by_slurm if by_slurm else run_program)(python, folder / 'program')
    return largest_difference(losses_of_run(json.loads((folder / 'run' / 'results.json').read_text())), losses_of(printed))


def chosen(arguments, folder):
    """Name, file and semantics of the scenarios to compare."""
    for name, (content, versions) in scenarios.ALL.items():
        file = folder / f'{name}.json'
        file.write_text(json.dumps(content, indent=2))
        yield name, file, versions
    if arguments.shipped:
        for name in SHIPPED_NAMES:
            yield name, SHIPPED / f'{name}.json', ('keras2', 'keras3')


def validator_of():
    try:
        import kubernetes_validate
        return kubernetes_validate
    except ImportError:
        print('kubernetes-validate is not installed: manifests are not checked', file=sys.stderr)
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--windtunnel', required=True)
    parser.add_argument('--only', default='', help='a pattern of names')
    parser.add_argument('--shipped', action='store_true', help='those of scenarios/, too')
    parser.add_argument('--slurm', action='store_true', help='start programs of several processes by job.sbatch')
    parser.add_argument('--keep', help='a folder for programs, results and logs')
    parser.add_argument('pythons', nargs='+', metavar='PYTHON', help='with TensorFlow')
    arguments = parser.parse_args()
    pythons = [(python, version_of(python)) for python in arguments.pythons]
    validator = validator_of()
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.keep or temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        print(f"{'scenario':36} {'semantics':10} {'TensorFlow':10} largest difference")
        for name, file, versions in chosen(arguments, folder):
            if not re.search(arguments.only, name):
                continue
            for python, version in pythons:
                for semantics in versions:
                    if semantics == 'keras3' and version < (2, 16):
                        continue
                    number = '.'.join(map(str, version))
                    place = folder / f'{name}-{semantics}-{number}'
                    place.mkdir(exist_ok=True)
                    try:
                        difference = compare(arguments.windtunnel, python, file, semantics, place, arguments.slurm, validator)
                        verdict, failed = f'{difference:.1e}', failed + (not difference <= LIMIT)
                    except (RuntimeError, subprocess.CalledProcessError) as error:
                        verdict, failed = f'FAILED: {error}', failed + 1
                    print(f'{name:36} {semantics:10} {number:10} {verdict}', flush=True)
    print(f'{failed} failed' if failed else f'all within {LIMIT}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
