#!/usr/bin/env python3
"""Packs recordings of TensorFlow into one archive for each kind, always to the same bytes.

    tests/recordings/pack.py FOLDER [KIND...] [--name NAME]

FOLDER holds <version>/<kind>/<id>/case.json and data.safetensors. The archives are written beside this script, by the names
of their kinds or by NAME. They are
tar files in the ustar format, compressed by gzip, without dates and owners.
"""

import argparse
import gzip
import io
import pathlib
import sys
import tarfile

KINDS = ("layers", "optimizers", "losses_metrics", "precision", "data", "training", "workers", "failures")
FILES = ("case.json", "data.safetensors")
VERSIONS = ("keras2", "keras3")


def packed(folder: pathlib.Path, kind: str) -> bytes:
    tar_bytes = io.BytesIO()
    with tarfile.open(fileobj=tar_bytes, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for version in VERSIONS:
            for path in sorted((folder / version / kind).rglob("*")):
                if path.name not in FILES:
                    continue
                entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
                entry.size = path.stat().st_size
                with path.open("rb") as content:
                    tar.addfile(entry, content)
    return gzip.compress(tar_bytes.getvalue(), compresslevel=9, mtime=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("kinds", nargs="*", default=KINDS)
    parser.add_argument("--name")
    arguments = parser.parse_args()
    folder = arguments.folder
    for kind in arguments.kinds:
        if not any((folder / version / kind).is_dir() for version in VERSIONS):
            sys.exit(f"{folder} has no recordings of the kind {kind}")
        archive = pathlib.Path(__file__).parent / f"{arguments.name or kind}.tar.gz"
        archive.write_bytes(packed(folder, kind))
        print(f"{archive}: {archive.stat().st_size} bytes")


if __name__ == "__main__":
    main()
