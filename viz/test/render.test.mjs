// render.js: every chart as SVG and PNG from the command line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { hostile, pool, reportOf, stored, sweep } from "./reports.mjs";

const renderer = fileURLToPath(new URL("../dist/render.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "windtunnel-render-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function render(report, ...words) {
  const file = join(folder, "report.json");
  writeFileSync(file, typeof report === "string" ? report : JSON.stringify(report));
  return spawnSync(process.execPath, [renderer, file, ...words], { encoding: "utf8" });
}

test("each chart becomes an SVG and a PNG, and their names are printed", () => {
  const out = join(folder, "out");
  const { status, stdout, stderr } = render(stored("run"), "--svg", out, "--png", out);
  assert.equal(status, 0, stderr);
  const names = stdout.trim().split("\n");
  for (const slug of [
    "step-time",
    "timeline",
    "machine",
    "collectives",
    "memory-peak",
    "memory-over-step",
    "what-would-help",
    "kernels",
    "loss",
  ]) {
    assert.ok(names.includes(`${slug}.svg`) && names.includes(`${slug}.png`), slug);
    const png = readFileSync(join(out, `${slug}.png`));
    assert.equal(png.subarray(1, 4).toString(), "PNG");
    assert.equal(png.readUInt32BE(16), 1920, "twice the width of 960");
  }
});

test("the bottleneck of a pool is marked, whichever of its names it has", () => {
  const server = "/job:ps/replica:0/task:1/device:CPU:0";
  for (const [bottleneck, share] of [
    ["the coordinator", "97 %"],
    [`the CPU of ${server}`, "37.5 %"],
    ["link switch -> machine 4/nic 0", "50 %"],
    ["the workers", "70 %"],
  ]) {
    const out = join(folder, "pool");
    const { status, stderr } = render(reportOf(pool(bottleneck)), "--svg", out);
    assert.equal(status, 0, stderr);
    const drawing = readFileSync(join(out, "pool-shares.svg"), "utf8");
    assert.equal(drawing.split("the bottleneck").length - 1, 1, bottleneck);
    assert.ok(drawing.includes(`${share} · the bottleneck`), bottleneck);
    assert.ok(readFileSync(join(out, "staleness.svg"), "utf8").includes("share of updates"));
  }
});

test("an SVG holds the names and the figures of its data", () => {
  const report = stored("run");
  const out = join(folder, "words");
  render(report, "--svg", out);
  const drawing = readFileSync(join(out, "what-would-help.svg"), "utf8");
  const { change, gain } = report.results[0].explanation.changes;
  change.slice(1).forEach((name, at) => {
    assert.ok(drawing.includes(name.replaceAll("'", "&#39;")) || drawing.includes(name), name);
    if (gain[at + 1] !== null)
      assert.ok(drawing.includes(`${Math.abs(gain[at + 1] * 100).toFixed(1)} %`), String(gain[at + 1]));
  });
});

test("texts that look like markup stay text in files, too", () => {
  for (const report of [stored("run"), stored("collective"), stored("recommendation"), reportOf(sweep())]) {
    const evil = hostile(report);
    evil.results.forEach((result, at) => {
      result.kind = report.results[at].kind;
    });
    const out = join(folder, `evil-${report.results[0].kind}`);
    const { status, stdout, stderr } = render(evil, "--svg", out, "--png", out);
    assert.equal(status, 0, stderr);
    for (const name of stdout
      .trim()
      .split("\n")
      .filter((each) => each.endsWith(".svg"))) {
      assert.ok(!/<script|<img/.test(readFileSync(join(out, name), "utf8")), name);
    }
  }
});

test("a mistake is said with a remedy, and the exit code is 2", () => {
  for (const [report, words, expected] of [
    ["{", ["--svg", folder], /report\.json: /],
    ["[]", ["--svg", folder], /is no report of windtunnel/],
    [stored("run"), [], /give --svg DIR/],
    [stored("run"), ["--pdf", folder], /unknown option "--pdf"/],
    [
      stored("run"),
      ["--svg", folder, "--look", "sepia"],
      /unknown look "sepia"; there are light, dark, print/,
    ],
  ]) {
    const { status, stderr } = render(report, ...words);
    assert.equal(status, 2);
    assert.match(stderr, expected);
  }
});
