// npm run screenshots -- PROGRAM [FOLDER [NAME...]]: pictures of reports for the README, each of some parts of a
// page; all of them, or those that are named.
//
// PROGRAM is windtunnel. It runs the scenarios and the sweep below, and its results are kept in FOLDER (a
// temporary one by default), so that a second call only draws.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { openBrowser } from "./browser.mjs";
import { pageWith } from "./page.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const scenarios = here("../../scenarios");
const prices = [
  "aws_p3_16xlarge=24.48 USD/h",
  "aws_p4d_24xlarge=32.77 USD/h",
  "aws_p5_48xlarge=98.32 USD/h",
  "dgx_h100=90 USD/h",
  "gce_a2_highgpu_8g=29.39 USD/h",
];

// What makes a folder of results, and its name.
const run = (scenario) => ({ folder: scenario, command: ["run", join(scenarios, `${scenario}.json`)] });
const sweep = {
  folder: "sweep",
  command: [
    "sweep",
    join(scenarios, "sweeps/resnet50_on_five_platforms.json"),
    ...prices.flatMap((price) => ["--price", price]),
  ],
};
const intervals = {
  folder: "checkpoint_interval",
  command: ["sweep", join(scenarios, "sweeps/checkpoint_interval.json")],
};
const collective = {
  folder: "collective",
  command: [
    ...["collective", "--platform", "dgx_h100", "--algorithm", "auto,ring,tree"],
    ...["--measured", here("../../tests/measurements/nccl_tests/dgx_h100.txt")],
  ],
};
// The planner's question of the README.
const question = {
  folder: "recommendation",
  command: [
    ...["recommend", join(scenarios, "resnet50.json"), "--target", "20000", "--max-global-batch", "8192"],
    ...["--platforms", "aws_p4d_24xlarge,aws_p5_48xlarge,tpu_v4"],
    ...["--price", "aws_p4d=32.77 USD/h, on_demand, 2026-11-23, example"],
    ...["--price", "aws_p5=98.32 USD/h, on_demand, 2026-11-23, example"],
    ...["--price", "tpu_v4=3.22 USD/chip-hour, on_demand, 2026-11-23, example"],
  ],
};

// A picture: its name, what it is of, and the parts of the page that it shows.
const pictures = [
  {
    name: "one_device",
    of: run("two_virtual_gpus"),
    parts: ["headline", "setting", "bound", "what-would-help"],
  },
  { name: "mirrored", of: run("mirrored_dgx_a100"), parts: ["headline", "timeline", "collectives"] },
  { name: "mirrored_links", of: run("mirrored_hierarchical_copy"), parts: ["headline", "machine"] },
  {
    name: "central_storage",
    of: run("central_storage_4_gpus"),
    parts: ["headline", "step-time", "timeline"],
  },
  { name: "multi_worker", of: run("multi_worker_2x2"), parts: ["headline", "step-time", "loss", "machine"] },
  { name: "multi_worker_32_machines", of: run("multi_worker_32_dgx_a100"), parts: ["machine"] },
  {
    name: "parameter_server",
    of: run("parameter_server_4_p100"),
    parts: ["headline", "bound", "what-would-help", "pool-shares", "staleness", "staleness-by-worker"],
  },
  { name: "tpu", of: run("tpu_v4_resnet50"), parts: ["headline", "machine", "memory-over-step"] },
  { name: "tpu_model_parallel", of: run("tpu_v3_model_parallel"), parts: ["headline", "timeline"] },
  {
    name: "out_of_memory",
    of: run("resnet50_memory"),
    parts: ["outcome", "headline", "setting", "memory-peak"],
  },
  { name: "failures", of: run("workers_fail_and_restart"), parts: ["failures"] },
  { name: "checkpoint_interval", of: intervals, parts: ["sweep"] },
  { name: "sweep", of: sweep, parts: ["headline", "sweep", "sweep-cost"] },
  { name: "sweep_dark", of: sweep, parts: ["sweep-efficiency", "infeasible"], look: "dark" },
  {
    name: "collective",
    of: collective,
    parts: ["headline", "collective-bandwidth", "collective-time"],
  },
  {
    name: "recommendation",
    of: question,
    parts: ["headline", "recommendation-sizes", "recommendation-throughput", "runners-up"],
  },
];

const [program, kept, ...names] = process.argv.slice(2);
if (!program) {
  console.error("usage: npm run screenshots -- PROGRAM [FOLDER [NAME...]], where PROGRAM is windtunnel");
  process.exit(2);
}
const results = kept ?? mkdtempSync(join(tmpdir(), "windtunnel-screenshots-"));
const out = here("../screenshots");
mkdirSync(out, { recursive: true });

function call(words) {
  const { status, stderr, error } = spawnSync(program, words, { encoding: "utf8" });
  if (error) throw error;
  if (status > 1) throw new Error(`${program} ${words.join(" ")}: ${stderr}`); // 1: the simulated job failed
}

function reportOf({ of: { folder, command } }) {
  const place = join(results, folder);
  if (!existsSync(join(place, "report.json"))) call([...command, "--report", "--out", place]);
  return readFileSync(join(place, "report.json"), "utf8");
}

const browser = await openBrowser();
for (const picture of pictures.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const file = join(results, `${picture.name}.html`);
  writeFileSync(file, pageWith(JSON.parse(reportOf(picture))));
  const page = await browser.newPage({
    viewport: { width: 1180, height: 900 },
    colorScheme: picture.look ?? "light",
  });
  await page.goto(pathToFileURL(file).href);
  const kept = picture.parts.map((part) => `[id$="-${part}"]`).join(", ");
  await page.addStyleTag({
    content: `nav, footer, .tools:not(.zoom), figure.chart:not(:is(${kept})), section.block:not(:is(${kept})) { display: none !important } .columns { grid-template-columns: minmax(0, 66rem) !important } header, .shared { position: static !important }`,
  });
  await page.setViewportSize({ width: 1120, height: 3000 });
  await page.waitForTimeout(900);
  const height = await page.evaluate(() =>
    Math.ceil(document.querySelector("main").getBoundingClientRect().bottom - 30),
  );
  const target = join(out, `${picture.name}.png`);
  await page.screenshot({ path: target, clip: { x: 0, y: 0, width: 1120, height } });
  console.log(`${picture.name}.png ${(statSync(target).size / 1000).toFixed(0)} kB, 1120 x ${height}`);
  await page.close();
}
await browser.close();
