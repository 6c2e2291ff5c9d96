#!/usr/bin/env python3
"""Claims: a comparison finds one changed number, key or word in every kind of file, and nothing in what may differ.

    tests/outputs/outputs_test.py [BINARY]

Two small stores are made up, and one is changed. With a binary, one case is also stored by it twice.
"""

import contextlib
import io
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import outputs

BINARY = None
CASE = "scenarios/small/run"
FILES = {
    f"{CASE}/results/results.json": '{"steps": 10, "simulated": {"step_time_s": 0.00125, "parts": [1, 2.5, 3]}}',
    f"{CASE}/results/steps.csv": "step,loss,text\n0,2.302585,a\n1,2.25,b\n",
    f"{CASE}/stdout.txt": "epoch  steps    loss\n    1     10  2.2473\nresults: out/small\n",
    f"{CASE}/stderr.txt": "60 steps in 0.8 s, 2825 rows/s within an epoch\n",
    f"{CASE}/outcome.json": '{"arguments": ["run"], "exit_code": 0}',
    "inputs/scenarios/small.json": '{\n  // a comment\n  "name": "small"\n}\n',
}
WEIGHTS = f"{CASE}/results/weights.safetensors"


class Stores(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name in ("before", "after"):
            for file, text in FILES.items():
                self.write(name, file, text)
            (self.root / name / WEIGHTS).write_bytes(b"\x00\xff\xfe weights")
            facts = {"format": "windtunnel outputs", "folder": f"/somewhere/{name}", "only": None, "quick": False,
                     "by_profile": []}
            self.write(name, "stored.json", json.dumps(facts))

    def write(self, store, file, text):
        path = self.root / store / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def change(self, file, old, new):
        text = FILES[file]
        self.assertIn(old, text)
        self.write("after", file, text.replace(old, new))

    def compare(self, *options, code=None):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            got = outputs.main(["compare", str(self.root / "before"), str(self.root / "after"), *options])
        if code is not None:
            self.assertEqual(got, code, out.getvalue())
        return out.getvalue()

    def except_for(self, *rows):
        self.write(".", "exceptions.json", json.dumps({"exceptions": list(rows)}))
        return ("--exceptions", str(self.root / "exceptions.json"))

    # ---- What is found

    def test_equal_stores_are_equal(self):
        self.assertIn("7 files equal, 0 unequal; 0 differences", self.compare(code=0))

    def test_a_number_in_json_is_found_with_its_path(self):
        self.change(f"{CASE}/results/results.json", "0.00125", "0.00126")
        printed = self.compare(code=1)
        self.assertIn(f"{CASE}/results/results.json  simulated.step_time_s\n    before: 0.00125\n"
                      "    after:  0.00126  (+0.8 %)", printed)
        self.assertIn("1 difference without an exception", printed)

    def test_other_versions_of_the_constants_are_named(self):
        self.assertNotIn("constants", self.compare(code=0))
        self.change(f"{CASE}/results/results.json", '{"steps": 10', '{"constants_version": 2, "steps": 10')
        self.assertIn("the model's constants have different versions, 0 and 2", self.compare(code=1))

    def test_the_last_bit_of_a_number_counts(self):
        self.change(f"{CASE}/results/results.json", "2.5", "2.5000000000000004")
        self.assertIn("simulated.parts.1", self.compare(code=1))
        self.compare("--tolerance", "1e-12", code=0)

    def test_a_number_written_otherwise_is_equal(self):
        self.change(f"{CASE}/results/results.json", "0.00125", "1.250e-3")
        self.change(f"{CASE}/results/steps.csv", "2.25", "2.250")
        self.change(f"{CASE}/stdout.txt", "     10  2.2473", " 10      2.24730")
        self.compare(code=0)

    def test_the_order_of_keys_and_columns_does_not_count(self):
        self.write("after", f"{CASE}/results/results.json",
                   '{"simulated": {"parts": [1, 2.5, 3], "step_time_s": 0.00125}, "steps": 10}')
        self.write("after", f"{CASE}/results/steps.csv", "text,step,loss\na,0,2.302585\nb,1,2.25\n")
        self.compare(code=0)

    def test_true_is_not_one_and_a_text_is_no_number(self):
        for new in ("true", '"10"', "null"):
            self.change(f"{CASE}/results/results.json", '"steps": 10', f'"steps": {new}')
            self.compare(code=1)

    def test_keys_and_columns_that_come_or_go_are_found(self):
        self.change(f"{CASE}/results/results.json", '"steps": 10', '"stops": 10')
        self.change(f"{CASE}/results/steps.csv", "loss", "lost")
        printed = self.compare(code=1)
        self.assertIn("    before: (absent)\n    after:  10", printed)
        self.assertIn("columns.lost", printed)
        self.assertIn("; 4 differences", printed)

    def test_one_element_more_is_one_difference(self):
        self.change(f"{CASE}/results/results.json", "[1, ", "[1, 7, ")
        self.change(f"{CASE}/results/steps.csv", "1,2.25,b", "0,2.302585,a\n1,2.25,b")
        self.change(f"{CASE}/stdout.txt", "results:", "a new line\nresults:")
        self.assertIn("; 3 differences without", self.compare(code=1))

    def test_a_cell_is_found(self):
        self.change(f"{CASE}/results/steps.csv", "2.25", "2.26")
        self.assertIn("rows.1.loss", self.compare(code=1))

    def test_a_number_and_a_word_of_a_table_are_found(self):
        self.change(f"{CASE}/stdout.txt", "2.2473", "2.2474")
        self.assertIn("lines.2.words.3\n    before: 2.2473", self.compare(code=1))
        self.change(f"{CASE}/stdout.txt", "results:", "outputs:")
        self.assertIn("lines.3\n    before: results: out/small", self.compare(code=1))

    def test_comments_in_json_are_compared_as_text(self):
        self.change("inputs/scenarios/small.json", '"small"', '"large"')
        self.assertIn("lines.3", self.compare(code=1))

    def test_bytes_are_compared(self):
        (self.root / "after" / WEIGHTS).write_bytes(b"\x00\xff\xfd weights")
        self.assertIn("from byte 2 on", self.compare(code=1))

    def test_a_file_that_is_missing_is_found(self):
        (self.root / "after" / CASE / "results/steps.csv").unlink()
        self.assertIn("before: (a file)\n    after:  (absent)", self.compare(code=1))

    # ---- What may differ

    def test_wall_time_and_folders_may_differ(self):
        self.change(f"{CASE}/stderr.txt", "0.8 s, 2825", "12 min, 7")
        for name in ("before", "after"):
            self.write(name, f"{CASE}/stdout.txt",
                       f"/somewhere/{name}/out\n/home/{name}/platforms/dgx_h100.json:3:1: a fact\n"
                       f"/home/{name}/src/plan/plan.cpp:{len(name)}: expected x\n")
        self.compare(code=0)

    def test_the_number_of_steps_may_not(self):
        self.change(f"{CASE}/stderr.txt", "60 steps", "61 steps")
        self.compare(code=1)

    def test_separate_measurements_are_refused_and_their_cases_left_out(self):
        for name in ("before", "after"):
            self.write(name, "profile.json", json.dumps({"measured": name}))
            facts = json.loads((self.root / name / "stored.json").read_text())
            self.write(name, "stored.json", json.dumps({**facts, "by_profile": [CASE]}))
        self.change(f"{CASE}/stdout.txt", "2.2473", "2.2474")
        printed = self.compare(code=1)
        self.assertIn("--profile", printed)
        self.assertNotIn("2.2474", printed)

    # ---- Exceptions

    def test_an_exception_covers_what_it_matches(self):
        self.change(f"{CASE}/results/results.json", "0.00125", "0.00126")
        row = {"file": "scenarios/*/results.json", "path": "simulated.*", "reason": "a fitted constant"}
        self.assertIn("covers 1: ", self.compare(*self.except_for(row), code=0))
        self.compare(*self.except_for({**row, "before": "0.00125", "after": "0.0012?"}), code=0)
        for other in ({"path": "steps"}, {"before": "0.1"}, {"after": "(absent)"}, {"file": "*.csv"}):
            self.compare(*self.except_for({**row, **other}), code=1)

    def test_an_exception_that_matches_nothing_is_reported(self):
        row = {"file": "*", "path": "simulated.*", "reason": "a fitted constant"}
        self.assertIn("matches nothing", self.compare(*self.except_for(row), code=1))

    def test_a_wrong_file_of_exceptions_is_refused(self):
        for row in ({"file": "*"}, {"reason": "why"}, {"file": "*", "reason": "why", "paths": "x"}, "text"):
            self.compare(*self.except_for(row), code=2)

    def test_a_folder_that_is_no_store_is_refused(self):
        (self.root / "after/stored.json").unlink()
        self.compare(code=2)


class WithBinary(unittest.TestCase):
    def setUp(self):
        if BINARY is None:
            self.skipTest("no binary is given")
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)

    def run_script(self, *words):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return outputs.main([str(word) for word in words])

    def test_two_stores_of_one_binary_are_equal_until_a_number_is_changed(self):
        before, after = self.root / "before", self.root / "after"
        for folder in (before, after):
            self.assertEqual(self.run_script("store", BINARY, folder, "--only", "scenarios/linear_fit/*"), 0)
        self.assertEqual(self.run_script("compare", before, after), 0)
        results = after / "scenarios/linear_fit/run/results/results.json"
        tree = json.loads(results.read_text())
        tree["format_version"] += 1
        results.write_text(json.dumps(tree))
        self.assertEqual(self.run_script("compare", before, after), 1)

    def test_what_is_no_program_and_what_is_no_store_is_refused(self):
        self.assertEqual(self.run_script("store", self.root / "nothing", self.root / "before"), 2)
        self.assertEqual(self.run_script("store", BINARY, self.root), 2)
        self.assertEqual(list(self.root.iterdir()), [])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
