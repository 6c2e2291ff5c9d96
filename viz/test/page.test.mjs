// The page in Debian's Chromium: what it shows equals the report, and it does what a reader asks of it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, csvOf, draw, open } from "./page.mjs";
import {
  checkpointIntervals,
  failing,
  hostile,
  hostileName,
  withFigures,
  manyBars,
  manyFailures,
  pool,
  reportOf,
  stored,
  sweep,
} from "./reports.mjs";

after(close);

const text = (value) => (value === null || value === undefined ? "" : String(value));

test("the figures of a run are those of its report, to the last digit", async () => {
  const report = stored("run");
  const run = report.results[0];
  const { page, problems } = await open(report);
  const cards = await page
    .locator(".card")
    .evaluateAll((list) => list.map((card) => [card.dataset.key, card.querySelector(".value").textContent]));
  assert.deepEqual(
    cards,
    run.headline.map(({ key, text }) => [key, text]),
  );

  const split = (await csvOf(page, await draw(page, "step-time"))).slice(1);
  const { split: own } = run;
  assert.deepEqual(
    split,
    own.device.map((device, row) =>
      [
        device,
        own.step_time_s,
        own.compute_s,
        own.exposed_communication_s,
        own.input_s,
        own.software_s,
        own.waiting_s,
        own.hidden_communication_s,
      ].map((each) => text(Array.isArray(each) ? each[row] : each)),
    ),
  );

  const collectives = (await csvOf(page, await draw(page, "collectives"))).slice(1);
  const { collectives: all } = run;
  assert.deepEqual(
    collectives,
    all.name.map((_, row) =>
      [
        "name",
        "algorithm",
        "protocol",
        "bytes",
        "ranks",
        "time_s",
        "exposed_s",
        "bound_s",
        "bound_share",
      ].map((key) => text(all[key][row])),
    ),
  );

  const links = (await csvOf(page, await draw(page, "machine"))).slice(1);
  assert.deepEqual(
    links.map((row) => [row[0], row[3], row[4]]),
    run.machine.links.name.map((name, at) => [
      name,
      text(run.machine.links.load_share[at]),
      text(run.machine.links.carried_bytes[at]),
    ]),
  );

  const bars = (await csvOf(page, await draw(page, "timeline"))).slice(1);
  assert.equal(bars.length, run.timeline.bars.track.length);
  assert.deepEqual(
    bars.map((row) => [row[4], row[5]]),
    run.timeline.bars.start_us.map((start, at) => [text(start), text(run.timeline.bars.duration_us[at])]),
  );
  const end = Math.max(...bars.map((row) => Number(row[4]) + Number(row[5])));
  assert.ok(Math.abs(end - run.timeline.step_time_s * 1e6) < 1e-3, "the last bar ends when the step ends");
  assert.deepEqual(problems, []);
});

test("workers that don't wait: what they share, the bottleneck marked, and the staleness of updates", async () => {
  const { page, problems } = await open(reportOf(pool("the coordinator")));
  const shares = (await csvOf(page, await draw(page, "pool-shares"))).slice(1);
  assert.deepEqual(
    shares.map((row) => row.slice(1)),
    [
      ["0.97", "true"],
      ["0.25", "false"],
      ["0.375", "false"],
      ["0.5", "false"],
      [String(0.0007 / 0.001), "false"],
    ],
  );
  const updates = (await csvOf(page, await draw(page, "staleness"))).slice(1);
  assert.deepEqual(
    updates,
    ["10", "20", "20", "10"].map((count, at) => [String(at), count]),
  );
  const workers = (await csvOf(page, await draw(page, "staleness-by-worker"))).slice(1);
  assert.deepEqual(workers, [
    ["0", "1"],
    ["1", "2"],
    ["2", "1.5"],
  ]);
  assert.deepEqual(problems, []);
});

test("the table behind a chart shows its figures with units", async () => {
  const report = stored("run");
  const { page } = await open(report);
  const figure = await draw(page, "step-time");
  await figure.locator("summary").click();
  await figure.locator("tbody tr").first().waitFor();
  const cells = await figure.locator("tbody tr").first().locator("td").allTextContents();
  assert.equal(cells[0], report.results[0].split.device[0]);
  assert.equal(
    cells[1],
    `${(report.results[0].split.step_time_s[0] * 1e3).toFixed(3).replace(/0+$/, "")} ms`,
  );
});

test("a page asks nothing of the network, and its policy lets nothing through", async () => {
  const { page, requests, problems, address } = await open(stored("run"));
  for (const slug of ["timeline", "machine", "memory-over-step"]) await draw(page, slug);
  assert.deepEqual(requests, [address]);
  assert.deepEqual(problems, []);
  const outcome = await page.evaluate(async () => {
    const blocked = [];
    document.addEventListener("securitypolicyviolation", (event) => blocked.push(event.effectiveDirective));
    await fetch("https://example.com/").catch(() => undefined);
    const script = document.createElement("script");
    script.textContent = "window.injected = true";
    document.body.append(script);
    const image = new Image();
    image.src = "https://example.com/x.png";
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { blocked: blocked.sort(), injected: window.injected ?? false };
  });
  assert.deepEqual(outcome, { blocked: ["connect-src", "img-src", "script-src-elem"], injected: false });
});

// How many bars overlap a window, counted one by one.
function overlapping({ bars }, from, to) {
  return bars.start_us.filter((start, at) => start < to && start + bars.duration_us[at] > from).length;
}

async function drawnBars(figure) {
  const words = await figure.evaluate((each) => each.dataset.bars);
  const [, bars, of, shapes] = /(\d+) of (\d+) bars in (\d+) shapes/.exec(words).map(Number);
  const [from, to] = (await figure.evaluate((each) => each.dataset.range)).split(" ").map(Number);
  return { bars, of, shapes, from, to };
}

test("of 20,000 bars a zoom draws those in its window, and no others", async () => {
  const run = manyBars(20000);
  const { page } = await open(reportOf(run));
  const figure = await draw(page, "timeline");
  await page.waitForTimeout(200);
  const whole = await drawnBars(figure);
  assert.equal(whole.bars, 20000);
  assert.ok(whole.shapes <= 8 * 1100, `${whole.shapes} shapes are at most one for each pixel and track`);
  await figure.locator(".drawing").focus();
  let before = whole;
  for (let zoom = 0; zoom < 8; ++zoom) {
    await page.keyboard.press("+");
    await page.waitForTimeout(120);
    const now = await drawnBars(figure);
    assert.ok(now.to - now.from < (before.to - before.from) * 0.51, "each zoom halves the window");
    assert.equal(now.bars, overlapping(run.timeline, now.from, now.to));
    before = now;
  }
  console.log(
    `# ${whole.bars} bars of the step in ${whole.shapes} shapes; after 8 zooms ${before.bars} bars in ${before.shapes} shapes`,
  );
  assert.ok(before.bars < 100 && before.shapes === before.bars, "near by, each bar is a shape of its own");
  const time = await page.evaluate(async () => {
    const canvas = document.querySelector('[data-chart="timeline"] .drawing');
    const started = performance.now();
    for (const key of ["0", "+", "+", "ArrowRight", "ArrowRight", "0"]) {
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key }));
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
    return (performance.now() - started) / 6;
  });
  console.log(`# a zoom or a move of 20,000 bars, to the next frame but one: ${time.toFixed(1)} ms`);
});

test("a kernel is found by name, zoomed to, and its arrows are kept", async () => {
  const run = manyBars(800);
  run.timeline.names.push("the only one");
  run.timeline.bars.name[437] = 3;
  const { page } = await open(reportOf(run));
  const figure = await draw(page, "timeline");
  await figure.locator('input[type="search"]').fill("only");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(150);
  assert.equal(await figure.evaluate((each) => each.dataset.bar), "437");
  const { from, to } = await drawnBars(figure);
  const start = run.timeline.bars.start_us[437];
  assert.ok(from < start && to > start + 3 && to - from < 30, `${from} to ${to} shows the bar at ${start}`);
});

test("under the pointer a bar says what it is", async () => {
  const run = manyBars(80);
  const { page } = await open(reportOf(run));
  const figure = await draw(page, "timeline");
  await page.waitForTimeout(200);
  const box = await figure.locator("canvas").first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 62);
  await page.waitForTimeout(150);
  const words = await figure.locator(".floating").innerText();
  assert.match(words, /takes\s+3 µs/);
  assert.match(words, /waited for/);
});

test("filters of a sweep hold for charts, tables and CSV alike", async () => {
  const result = sweep();
  const { page, problems } = await open(reportOf(result));
  await draw(page, "sweep");
  await page.locator('[data-control="sweep.filter.batch"]').selectOption("64");
  await page.locator('[data-control="sweep.filter.link_bandwidth"]').selectOption("50 Gb/s");
  const { values } = result;
  const wanted = [...Array(result.points).keys()].filter(
    (point) => values.batch[point] === 64 && values.link_bandwidth[point] === "50 Gb/s",
  );
  const done = wanted.filter((point) => values.outcome[point] === "done");
  const rows = (await csvOf(page, page.locator('[data-chart="sweep"]'))).slice(1);
  assert.deepEqual(
    rows.map((row) => row.slice(0, 3)),
    done.map((point) => [
      values.platform[point],
      text(values.devices[point]),
      text(values.samples_per_second[point]),
    ]),
  );
  for (const [at, point] of done.entries()) {
    assert.equal(
      Number(rows[at][3]),
      values.samples_per_second[point] / values.predicted_over_true_high[point],
    );
    assert.equal(
      Number(rows[at][4]),
      values.samples_per_second[point] / values.predicted_over_true_low[point],
    );
  }
  const points = await csvOf(page, page.locator('[data-block="points"]'), "CSV of these");
  assert.deepEqual(
    points[0],
    result.columns.map(({ key }) => key),
  );
  assert.deepEqual(
    points.slice(1),
    wanted.map((point) => result.columns.map(({ key }) => text(values[key][point]))),
  );
  const all = await csvOf(page, page.locator('[data-block="points"]'), "CSV of all");
  assert.equal(all.length, 1001);
  await page.locator('[data-control="sweep.y"]').selectOption("step_time_s");
  assert.match(await page.locator('[data-chart="sweep"] h3').innerText(), /^Step time \(s\) against devices/);
  assert.deepEqual(problems, []);
});

test("the Pareto front has the points that no other one beats", async () => {
  const result = sweep();
  const { page } = await open(reportOf(result));
  const rows = (await csvOf(page, await draw(page, "sweep-cost"))).slice(1);
  const points = rows.map((row) => ({
    speed: Number(row[2]),
    cost: Number(row[3]),
    front: row[4] === "true",
  }));
  for (const point of points) {
    const beaten = points.some(
      (other) =>
        other.speed >= point.speed &&
        other.cost <= point.cost &&
        (other.speed > point.speed || other.cost < point.cost),
    );
    assert.equal(point.front, !beaten);
  }
  assert.ok(points.some(({ front }) => front) && points.some(({ front }) => !front));
});

test("points without a time stand with their reason", async () => {
  const result = sweep();
  const { page } = await open(reportOf(result));
  const rows = await page.locator('[data-block="infeasible"] tbody tr').allInnerTexts();
  const counted = rows.map((row) => Number(row.split("\t")[1])).reduce((sum, each) => sum + each, 0);
  assert.equal(counted, result.values.outcome.filter((outcome) => outcome !== "done").length);
  assert.ok(rows.every((row) => row.includes("OOM, of <b>course</b>")));
});

test("a job through its failures: its table, its parts by keys, and a failure under the pointer", async () => {
  const run = failing();
  const { attempts, stalls } = run.failures;
  const { page, problems } = await open(reportOf(run));
  const figure = await draw(page, "failures");
  const [head, ...rows] = await csvOf(page, figure);
  const cell = (row, title) => row[head.indexOf(title)];
  assert.deepEqual(
    rows.map((row) =>
      ["begins (s)", "stops (s)", "failure", "of", "message"].map((title) => cell(row, title)),
    ),
    [
      ...attempts.map((each) => [each.begin_s, each.stop_s, each.failure, each.task, each.message].map(text)),
      ...stalls.map((each) => [each.begin_s, each.end_s, each.failure, each.task, null].map(text)),
    ],
  );
  assert.deepEqual(
    rows.map((row) => cell(row, "lost steps")),
    ["3", "0", "", ""],
  );
  const says = await figure.locator(".says").innerText();
  assert.match(says, /ends after 4\.483 min, and would end after 1\.367 min/);
  assert.match(says, /1\.567 min pass from a failure/);

  await figure.locator(".drawing").focus();
  const read = async (key) => {
    await page.keyboard.press(key);
    return figure.locator('[aria-live="polite"]').first().textContent();
  };
  assert.match(
    await read("ArrowRight"),
    /^attempt 1: steps that are kept, from, 0 s, to, 15 s, .*steps, 1 to 5/,
  );
  assert.match(await read("ArrowRight"), /^attempt 1: steps that are lost, from, 15 s, .*steps, 6 to 8/);
  assert.match(await read("ArrowDown"), /^all wait: worker 1 is cut off, from, 10 s, to, 14 s/);
  assert.match(await read("ArrowDown"), /^worker 1 is cut off, at, 10 s, ends, nothing/);
  assert.match(await read("ArrowRight"), /^worker 1 is killed, at, 24 s, .*UNAVAILABLE/);
  await page.keyboard.press("Escape");

  const box = await figure.locator("canvas").first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.55);
  await figure.locator(".hover").waitFor();
  assert.match(await figure.locator(".hover").innerText(), /attempt 1: wait and restart/);
  assert.deepEqual(problems, []);
});

test("of 2,000 attempts a zoom shows apart what was joined, and the whole job is one key away", async () => {
  const { page, problems } = await open(reportOf(manyFailures(2000)));
  const figure = await draw(page, "failures");
  await figure.locator(".drawing").focus();
  const first = async () => {
    await page.waitForTimeout(150);
    await page.keyboard.press("ArrowLeft");
    return figure.locator('[aria-live="polite"]').first().textContent();
  };
  assert.match(await first(), /^attempts 1 to \d+, .*steps that are kept, .*30 %/);
  for (let zoom = 0; zoom < 8; ++zoom) await page.keyboard.press("+");
  assert.match(await first(), /^attempt \d{3,4}: /);
  await page.keyboard.press("0");
  assert.match(await first(), /^attempts 1 to /);
  assert.deepEqual(problems, []);
});

test("a sweep over checkpoints shows goodput first, and names the interval at which it is highest", async () => {
  const result = checkpointIntervals();
  const { page, problems } = await open(reportOf(result));
  const figure = await draw(page, "sweep");
  assert.match(
    await figure.locator("h3").innerText(),
    /^Goodput against steps between checkpoints, for each time between failures of a device$/,
  );
  assert.equal(await page.locator('[data-control="sweep.xScale"]').inputValue(), "log");
  const rows = (await csvOf(page, figure)).slice(1);
  const { values } = result;
  const done = [...Array(result.points).keys()].filter((point) => values.outcome[point] === "done");
  assert.deepEqual(
    rows.map((row) => row.slice(0, 3)),
    done.map((point) => [
      values["job.time_between_device_failures"][point],
      text(values["training.checkpointing.every_steps"][point]),
      text(values.goodput[point]),
    ]),
  );
  const says = await figure.locator(".says").innerText();
  for (const hours of ["100 h", "300 h", "1000 h"]) {
    const own = done.filter((point) => values["job.time_between_device_failures"][point] === hours);
    const best = own.reduce((a, b) => (values.goodput[b] > values.goodput[a] ? b : a));
    const share = Number((values.goodput[best] * 100).toPrecision(3));
    const steps = values["training.checkpointing.every_steps"][best];
    assert.ok(
      says.includes(`${hours}: ${share} % at ${steps}`),
      `${hours}: ${share} % at ${steps} in "${says}"`,
    );
  }
  await page.locator('[data-control="sweep.y"]').selectOption("job_time_s");
  assert.match(await figure.locator("h3").innerText(), /^Job time \(s\) against steps between checkpoints/);
  assert.deepEqual(problems, []);
});

test("a chart is read by the keyboard, point by point, with all figures", async () => {
  const result = sweep();
  const { page } = await open(reportOf(result));
  const figure = await draw(page, "sweep");
  await figure.locator(".drawing").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const words = await figure.locator('[aria-live="polite"]').first().textContent();
  for (const name of [
    "batch",
    "devices",
    "samples per second",
    "step time",
    "scaling efficiency",
    "cost per million samples",
    "known from",
  ])
    assert.ok(words.includes(name), `${name} in "${words}"`);
  const tabbable = await page.evaluate(() =>
    [...document.querySelectorAll("figure.chart .drawing")].every(
      (each) => each.tabIndex === 0 && each.getAttribute("aria-labelledby"),
    ),
  );
  assert.ok(tabbable);
});

test("a table sorts by the keyboard, numbers as numbers", async () => {
  const { page } = await open(reportOf(sweep()));
  const table = page.locator('[data-block="points"]');
  const head = table.locator("th", { hasText: /^samples per second/ });
  const column = await head.evaluate((each) => [...each.parentElement.children].indexOf(each));
  await head.locator("button").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  const shown = (await table.locator(`tbody tr td:nth-child(${column + 1})`).allInnerTexts())
    .filter((cell) => cell !== "–")
    .map((cell) => parseFloat(cell.replaceAll(",", "")));
  assert.ok(shown.length > 10);
  assert.deepEqual(
    shown,
    [...shown].sort((a, b) => b - a),
  );
});

test("light and dark follow the system until the reader chooses", async () => {
  const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const { page } = await open(stored("run"), { colorScheme: "dark" });
  const dark = await ground(page);
  const figure = await draw(page, "step-time");
  const before = await figure.locator("canvas").first().screenshot();
  await page.locator("#look").click();
  assert.notEqual(await ground(page), dark);
  assert.notDeepEqual(await figure.locator("canvas").first().screenshot(), before, "charts change, too");
  await page.locator("#look").click();
  assert.equal(await ground(page), dark);
  await page.emulateMedia({ colorScheme: "light" });
  assert.equal(await ground(page), dark, "what the reader chose stays");
});

test("on paper everything is drawn, in the look for print", async () => {
  const { page, problems } = await open(stored("run"));
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await page.evaluate(() => document.documentElement.dataset.look), "print");
  const { drawn, all } = await page.evaluate(() => ({
    all: document.querySelectorAll("figure.chart").length,
    drawn: document.querySelectorAll("figure.chart canvas").length,
  }));
  assert.ok(all > 5 && drawn >= all, `${drawn} of ${all} charts are drawn`);
  assert.equal(await page.locator("nav").isVisible(), false);
  const colours = await page
    .locator('[data-chart="step-time"] canvas')
    .first()
    .evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let coloured = 0;
      for (let at = 0; at < data.length; at += 4)
        if (
          Math.max(data[at], data[at + 1], data[at + 2]) - Math.min(data[at], data[at + 1], data[at + 2]) >
          24
        )
          coloured += 1;
      return coloured;
    });
  assert.equal(colours, 0, "no pixel has a colour");
  assert.deepEqual(problems, []);
});

for (const [name, report] of [
  ["run", stored("run")],
  ["run with failures", reportOf(failing())],
  ["collective", stored("collective")],
  ["recommendation", stored("recommendation")],
  ["sweep", reportOf(sweep())],
]) {
  test(`texts of a ${name} that look like markup are text`, async () => {
    const evil = hostile(report);
    evil.results.forEach((result, at) => {
      result.kind = report.results[at].kind;
    });
    const { page, problems } = await open(evil);
    for (const figure of await page.locator("figure.chart").all()) {
      await figure.scrollIntoViewIfNeeded();
      await figure.locator("canvas").first().waitFor();
      await figure.locator(".drawing").focus();
      await page.keyboard.press("ArrowRight");
    }
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.equal(await page.evaluate(() => document.querySelectorAll("main img, main script").length), 0);
    assert.equal(
      await page.locator("h2").first().getAttribute("title"),
      name === "collective" ? await page.locator("h2").first().getAttribute("title") : hostileName,
    );
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1),
      "a long name doesn't widen the page",
    );
    assert.deepEqual(problems, []);
  });
}

test("a page with the largest figures, the smallest and none has no NaN and no fault", async () => {
  for (const figure of [1e308, -1, 1e-12, 1e-100, 0, null])
    for (const report of [stored("run"), stored("collective"), stored("recommendation"), reportOf(sweep())]) {
      const { page, problems } = await open(withFigures(report, figure));
      assert.deepEqual(problems, [], `${figure}: ${report.results[0].name}`);
      assert.doesNotMatch(await page.locator("main").innerText(), /\b(NaN|Infinity)\b/, `${figure}`);
    }
});

test("a failed run gives its message, and empty results say that they are empty", async () => {
  const failed = stored("failed");
  const first = await open(failed);
  assert.equal(
    await first.page.locator('[data-block="outcome"] pre').textContent(),
    failed.results[0].message,
  );
  assert.deepEqual(first.problems, []);

  const { columns } = sweep();
  const empty = {
    kind: "sweep",
    format_version: 1,
    name: "none",
    columns,
    points: 0,
    values: Object.fromEntries(columns.map(({ key }) => [key, []])),
  };
  const nothing = { ...stored("recommendation").results[0], choices: [], headline: [] };
  delete nothing.sentence;
  const allFailed = sweep();
  for (const key of Object.keys(allFailed.values))
    if (!["point", "batch", "platform", "devices", "link_bandwidth", "outcome", "reason"].includes(key))
      allFailed.values[key] = allFailed.values[key].map(() => null);
  allFailed.values.outcome = allFailed.values.outcome.map(() => "refused");
  const second = await open(reportOf(empty, nothing, allFailed, { kind: "novelty", name: "later" }));
  const words = await second.page.locator("main").innerText();
  assert.match(words, /The sweep has no points\./);
  assert.match(words, /No machine that was considered meets the target\./);
  assert.match(words, /knows no results of the kind "novelty"/);
  assert.equal(await second.page.locator("text=can't be drawn").count(), 0);
  assert.deepEqual(second.problems, []);

  const third = await open({});
  assert.match(await third.page.locator("#page").innerText(), /has no report in it/);
});

test("several collectives of one operation are laid over each other, with what was measured", async () => {
  const report = stored("collective");
  const { page } = await open(report);
  const rows = (await csvOf(page, await draw(page, "collective-bandwidth"))).slice(1);
  const predicted = report.results.flatMap(({ rows: own }) => own.busbw_gb_per_s);
  const measured = report.results.flatMap((each) =>
    (each.measured ?? []).flatMap(({ rows: own }) => own.busbw_gb_per_s),
  );
  assert.ok(measured.length > 0 && report.results.length > 1);
  assert.deepEqual(
    rows.map((row) => Number(row[5])),
    [...predicted, ...measured],
  );
});

test("a report of 1,000 points is small, and scripts are done in a moment", async () => {
  for (const report of [reportOf(sweep()), reportOf(manyBars(20000)), stored("run")]) {
    const { page, size } = await open(report);
    const time = Number(await page.evaluate(() => document.documentElement.dataset.scriptMs));
    console.log(
      `# ${report.results[0].name}: ${(size / 1e6).toFixed(2)} MB, script ${time.toFixed(0)} ms (the aim is 200)`,
    );
    assert.ok(size < 5e6);
  }
});
