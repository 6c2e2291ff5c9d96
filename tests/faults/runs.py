"""`windtunnel run` into one folder, killed, and what must hold afterwards."""

import shutil

from world import RECORD, expect, listing, newest_checkpoint

# Two runs that write different bytes, so that a folder of both is seen to be torn.
VARIANTS = {"a": ("seed=3",), "b": ("seed=4",)}


class Runs:
    def __init__(self, world):
        self.world = world
        self.out = world.folder / "out"
        self.whole = {}  # the files of each run that was not killed
        for variant in VARIANTS:
            world.complete(self.words(variant))
            self.whole[variant] = listing(self.out)
        expect(self.whole["a"] != self.whole["b"], "the two runs have the same results")
        self.resumed = 0

    def words(self, variant, *more):
        return self.world.run_words(self.out, *VARIANTS[variant], *more)

    def clear(self):
        shutil.rmtree(self.out, ignore_errors=True)
        for name in self.world.beside(self.out):
            path = self.world.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def state(self):
        """The variant whose results are in place, or None."""
        files = listing(self.out)
        if files is None:
            return None
        found = [variant for variant, whole in self.whole.items() if files == whole]
        expect(found, f"{self.out} is torn: {sorted(files)}")
        return found[0]

    def checkpoints(self):
        """The folders of checkpoints that killed runs left. A folder without a record is what a run has replaced."""
        folders = [path / "checkpoints" for path in self.world.unfinished(self.out) if (path / RECORD).exists()]
        return [folder for folder in folders if newest_checkpoint(folder)]

    def expect_nothing_lost(self, before, wanted, when):
        """After a kill of the run `wanted`: the old results are in place, or the new ones, whole."""
        state = self.state()
        expect(state in (before, wanted), f"{when}: {before} was in place, {wanted} ran, and now there is {state}")
        for folder in self.checkpoints():
            newest = newest_checkpoint(folder)
            expect(newest.exists(), f"{when}: the index of {folder} names {newest}, which is missing")

    def resume(self, variant, folder, when):
        """A run that continues a killed one ends with the weights of one that was never killed."""
        process = self.world.call(self.words(variant, f"training.checkpointing.restore={folder}"))
        if process.returncode == 2 and "and the training has" in process.messages:
            return  # It was killed after its last checkpoint.
        expect(process.returncode == 0, f"{when}: {folder} is not continued: {process.messages}")
        weights = listing(self.out)["weights.safetensors"]
        expect(weights == self.whole[variant]["weights.safetensors"], f"{when}: other weights from {folder}")
        self.resumed += 1
        self.world.complete(self.words(variant))  # which has all steps in its results

    def expect_clean_end(self, when):
        """Runs that are not killed name what those that were have left, and leave nothing of it."""
        for variant in VARIANTS:
            left = self.checkpoints()
            messages = self.world.complete(self.words(variant)).messages
            for folder in left:
                expect(f"its checkpoints are in {folder}\n" in messages, f"{when}: {folder} is not named: {messages}")
            expect(self.state() == variant, f"{when}: {variant} is not in place")
        self.world.expect_nothing_beside(self.out)
