// render.js: every chart as SVG and PNG from the command line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  checkpointIntervals,
  failing,
  hostile,
  withFigures,
  manyFailures,
  pool,
  reportOf,
  stored,
  sweep,
} from "./reports.mjs";

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

// The bars of a drawing of failures, and its labels.
const partOf = {
  "#009E73": "kept",
  "#D55E00": "lost",
  "#CC79A7": "processes end",
  "#4d4d4d": "restart",
  "#E69F00": "stall",
};
function drawnCourse(run, name) {
  const out = join(folder, name);
  const { status, stderr } = render(reportOf(run), "--svg", out);
  assert.equal(status, 0, stderr);
  const drawing = readFileSync(join(out, "failures.svg"), "utf8");
  const shape =
    /<path d="M([\d.]+) ([\d.]+)l([\d.]+) 0l0 ([\d.]+)l[-\d. ]+Z" fill="(#\w+)"[^>]*ssr_type="chart"/g;
  const bars = [...drawing.matchAll(shape)].map(([, x, y, width, height, fill]) => ({
    part: partOf[fill],
    x: Number(x),
    width: Number(width),
    area: Number(width) * Number(height),
  }));
  return { bars, texts: [...drawing.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text]) => text) };
}

test("a job through its failures: bars as long as the parts of its attempts, and a name for each failure", () => {
  const run = failing();
  const { bars, texts } = drawnCourse(run, "failing");
  const { attempts, stalls, end_s } = run.failures;
  const [first, second, third] = attempts;
  const loses = first.stop_s * (5 / 8); // 3 of its 8 steps are lost.
  const expected = [
    ["kept", 0, loses],
    ["lost", loses, first.stop_s],
    ["processes end", first.stop_s, first.end_s],
    ["restart", first.end_s, second.begin_s],
    ["kept", second.begin_s, second.stop_s],
    ["restart", second.end_s, third.begin_s],
    ["kept", third.begin_s, third.stop_s],
    ["stall", stalls[0].begin_s, stalls[0].end_s],
  ];
  assert.deepEqual(
    bars.map(({ part }) => part),
    expected.map(([part]) => part),
  );
  const left = Math.min(...bars.map(({ x }) => x));
  const scale = (Math.max(...bars.map(({ x, width }) => x + width)) - left) / end_s;
  expected.forEach(([part, from, to], at) => {
    assert.ok(Math.abs(bars[at].x - left - from * scale) <= 1, `${part} begins at ${from} s`);
    assert.ok(Math.abs(bars[at].width - (to - from) * scale) <= 1, `${part} takes ${to - from} s`);
  });
  for (const text of ["worker 1 is killed", "worker 2 is preempted", "worker 1 is cut off"])
    assert.equal(texts.filter((each) => each === text).length, 1, text);
  assert.ok(texts[0].includes("2 restarts, 3 steps lost, goodput 22.3 %"), texts[0]);
});

test("of many attempts no more is drawn than can be seen, and areas stay the shares of the time", () => {
  for (const count of [40, 2000, 100000]) {
    const started = performance.now();
    const { bars, texts } = drawnCourse(manyFailures(count), `attempts-${count}`);
    const took = performance.now() - started;
    assert.ok(bars.length <= 2000, `${bars.length} bars`);
    const all = bars.reduce((sum, { area }) => sum + area, 0);
    for (const [part, share] of Object.entries({
      kept: 0.3,
      lost: 0.2,
      "processes end": 0.1,
      restart: 0.4,
    })) {
      const own = bars.filter((bar) => bar.part === part).reduce((sum, { area }) => sum + area, 0) / all;
      assert.ok(Math.abs(own - share) < 0.01, `${part} of ${count} attempts: ${own}`);
    }
    const groups = texts.flatMap((text) => /^([\d,]+) failures$/.exec(text)?.[1].replaceAll(",", "") ?? []);
    const inGroups = groups.reduce((sum, each) => sum + Number(each), 0);
    if (count > 1000) assert.equal(inGroups, count, "each failure is in a group");
    else assert.equal(inGroups, 0, "failures that can be seen apart stand alone");
    console.log(`# ${count} attempts: ${bars.length} bars, ${groups.length} groups, ${took.toFixed(0)} ms`);
  }
});

test("a run in which nothing failed has no drawing of failures", () => {
  const calm = failing();
  calm.failures.stalls = [];
  calm.failures.attempts = calm.failures.attempts.slice(2);
  for (const run of [stored("run").results[0], calm]) {
    const { stdout } = render(reportOf(run), "--svg", join(folder, "calm"));
    assert.ok(stdout.includes("timeline.svg") && !stdout.includes("failures.svg"));
  }
});

test("attempts without a step that is done, and jobs that are given up, are drawn", () => {
  const run = failing();
  run.failures.complete = false;
  run.failures.attempts = run.failures.attempts.slice(0, 2);
  run.failures.attempts[1] = { ...run.failures.attempts[0], begin_s: 161, stop_s: 170, end_s: 200 };
  Object.assign(run.failures.attempts[1], { first_step: 5, end_step: 5, kept_steps: 5, lost_steps: 0 });
  run.failures.attempts[1].waits = "worker 0 waits for worker 1";
  run.failures.end_s = 200;
  const { bars } = drawnCourse(run, "given-up");
  assert.deepEqual(
    bars.map(({ part }) => part),
    ["kept", "lost", "processes end", "restart", "lost", "processes end", "stall"],
  );
});

test("a sweep over checkpoints is the goodput over a logarithmic axis with its own values as ticks", () => {
  const out = join(folder, "intervals");
  const { status, stdout, stderr } = render(reportOf(checkpointIntervals()), "--svg", out);
  assert.equal(status, 0, stderr);
  assert.deepEqual(
    stdout.trim().split("\n"),
    ["sweep.svg"],
    "figures that are alike everywhere are not drawn",
  );
  const drawing = readFileSync(join(out, "sweep.svg"), "utf8");
  const places = [...drawing.matchAll(/<text[^>]*translate\(([\d.]+) [\d.]+\)[^>]*>([\d,]+)</g)].map(
    ([, x, text]) => [Number(x), Number(text.replaceAll(",", ""))],
  );
  assert.deepEqual(
    places.map(([, value]) => value),
    [25, 50, 100, 200, 400, 800, 1600, 3200],
  );
  const distances = places.slice(1).map(([x], at) => x - places[at][0]);
  assert.ok(Math.max(...distances) - Math.min(...distances) < 1, "values that double are equally far apart");
  for (const text of ["100 h", "300 h", "1000 h", "100 %", "Goodput against steps between checkpoints"])
    assert.ok(drawing.includes(text), text);
});

test("texts that look like markup stay text in files, too", () => {
  for (const report of [
    stored("run"),
    stored("collective"),
    stored("recommendation"),
    reportOf(sweep()),
    reportOf(failing()),
  ]) {
    const evil = hostile(report);
    evil.results.forEach((result, at) => {
      result.kind = report.results[at].kind;
    });
    const out = join(folder, `evil-${report.results[0].name.length}`);
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

// JSON has neither NaN nor infinity, and numbers at the ends of the range must not become them.
test("the largest figures, the smallest and none are drawn as numbers", () => {
  for (const figure of [1e308, -1, 1e-12, 1e-100, 0, null])
    for (const report of [stored("run"), stored("collective"), stored("recommendation"), reportOf(sweep())]) {
      const out = join(folder, `figures-${figure}-${report.results[0].name.length}`);
      const { status, stdout, stderr } = render(withFigures(report, figure), "--svg", out);
      assert.equal(status, 0, `${figure}: ${stderr}`);
      for (const name of stdout
        .trim()
        .split("\n")
        .filter((each) => each.endsWith(".svg")))
        assert.doesNotMatch(
          readFileSync(join(out, name), "utf8"),
          /\b(NaN|Infinity)\b/,
          `${figure}: ${name}`,
        );
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
