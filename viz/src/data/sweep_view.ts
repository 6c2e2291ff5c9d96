// What a reader chose to see of a sweep: two axes, a column whose values are the series, and a filter for
// each other axis. From these follow the points of each line.
import { show } from "../text/quantity";
import { shorten } from "../text/shorten";
import { distinct, indices } from "./columns";
import type { Cell, Sweep, SweepColumn } from "./report";
import { chosen, type Control, type View } from "./view";

export const every = "\u0000every";

// What axes are called that set a key of a scenario. Others are called by the key, as it is written there.
const settings: Record<string, string> = {
  "training.checkpointing.every": "epochs between checkpoints",
  "training.checkpointing.every_steps": "steps between checkpoints",
  "job.time_between_device_failures": "time between failures of a device",
  "job.restart": "time of a restart",
};

export function titleOf({ key, title: text, is_axis }: SweepColumn): string {
  return settings[key] ?? (is_axis && key.includes(".") ? key : text);
}

export function column(sweep: Sweep, key: string): SweepColumn {
  const found = sweep.columns.find((candidate) => candidate.key === key);
  return found
    ? { ...found, title: titleOf(found) }
    : { key, title: key, unit: "", type: "number", is_axis: false, scale: "linear" };
}

export function isDone(sweep: Sweep, point: number): boolean {
  return (sweep.values.outcome?.[point] ?? "done") === "done";
}

function values(sweep: Sweep, key: string): Cell[] {
  return sweep.values[key] ?? [];
}

function isUsed(sweep: Sweep, key: string): boolean {
  return values(sweep, key).some((value) => value !== null);
}

function varies(sweep: Sweep, key: string): boolean {
  return distinct(values(sweep, key).filter((value) => value !== null)).length > 1;
}

export function title(entry: SweepColumn): string {
  const { unit } = entry;
  const text = titleOf(entry);
  return unit && !text.includes("per second") ? `${text} (${unit})` : text;
}

const figuresOfInterest = [
  "samples_per_second",
  "samples_per_second_per_device",
  "scaling_efficiency",
  "speed_up",
  "mfu",
  "goodput",
  "step_time_s",
  "compute_s",
  "exposed_communication_s",
  "software_s",
  "waiting_s",
  "memory_bytes",
  "tokens_per_second",
  "cost_per_hour",
  "cost_per_million_samples",
  "cost_per_epoch",
  "cost_per_job",
  "epoch_time_s",
  "job_time_s",
];

const notAxes = new Set(["point", "reason", "outcome", "name", "expected_error_basis"]);

function pick(wanted: string | undefined, from: SweepColumn[]): string {
  return from.find(({ key }) => key === wanted)?.key ?? from[0]?.key ?? "";
}

// The axis that is shown first if none is suggested: that of numbers with the most values.
function firstAcross(sweep: Sweep, wanted: string | undefined, from: SweepColumn[]): string {
  const count = ({ key }: SweepColumn) => (isNumeric(sweep, key) ? distinct(values(sweep, key)).length : 0);
  return pick(
    wanted,
    [...from].sort((a, b) => count(b) - count(a)),
  );
}

// A figure that is the same at all points, as the throughput is where only failures differ, is not shown first.
function firstUpwards(sweep: Sweep, wanted: string, from: SweepColumn[]): string {
  const differing = from.filter(({ key }) => varies(sweep, key));
  return pick(wanted, differing.length > 0 ? differing : from);
}

// A sweep of one axis over devices still has a series: its platform, or its name.
function axesControl(sweep: Sweep): Control[] {
  const suggested = sweep.suggested ?? {};
  const numeric = sweep.columns.filter(
    ({ key, type, is_axis }) =>
      varies(sweep, key) &&
      (is_axis ||
        (type !== "text" &&
          ["devices", "machines", "replicas", "global_batch", "replica_rows"].includes(key))),
  );
  const figures = figuresOfInterest.filter((key) => isUsed(sweep, key)).map((key) => column(sweep, key));
  const series = sweep.columns.filter(
    ({ key, type, is_axis }) =>
      varies(sweep, key) &&
      !notAxes.has(key) &&
      (is_axis || (type === "text" && distinct(values(sweep, key)).length <= 24)),
  );
  const option = (entry: SweepColumn) => ({ value: entry.key, label: title(entry) });
  const across = firstAcross(sweep, suggested.x, numeric);
  return [
    { key: "sweep.x", label: "across", choices: numeric.map(option), initial: across },
    {
      key: "sweep.y",
      label: "upwards",
      choices: figures.map(option),
      initial: firstUpwards(sweep, suggested.y ?? "samples_per_second", figures),
    },
    {
      key: "sweep.series",
      label: "a line for each",
      initial: pick(
        suggested.series,
        series.filter(({ key }) => key !== across),
      ),
      choices: [...series.map(option), { value: "", label: "(one line)" }],
    },
  ];
}

const scaleChoices = [
  { value: "log", label: "logarithmic" },
  { value: "linear", label: "linear" },
];

function isNumeric(sweep: Sweep, key: string): boolean {
  return values(sweep, key).every((value) => value === null || typeof value === "number");
}

function fastest(sweep: Sweep): number {
  const speed = values(sweep, "samples_per_second");
  return indices(sweep.points).reduce(
    (best, point) => (Number(speed[point] ?? -1) > Number(speed[best] ?? -1) ? point : best),
    0,
  );
}

// Values of an axis that double, or grow alike, crowd at the low end of a linear scale: the one in the middle is
// far below the middle of the range.
function isOverDecades(sweep: Sweep, key: string): boolean {
  const places = distinct(values(sweep, key)).filter((value) => typeof value === "number");
  places.sort((a, b) => a - b);
  const [least, most] = [places[0], places[places.length - 1]];
  return places.length > 2 && least > 0 && places[places.length >> 1] < (least + most) / 3;
}

// Other axes begin at the values of the fastest point, so that a line has one point for each place across.
function filterControls(sweep: Sweep, x: string, series: string): Control[] {
  const best = fastest(sweep);
  return sweep.columns
    .filter(({ key, is_axis }) => is_axis && key !== x && key !== series && varies(sweep, key))
    .map((entry) => {
      const found = distinct(values(sweep, entry.key).filter((value) => value !== null));
      return {
        key: `sweep.filter.${entry.key}`,
        label: titleOf(entry),
        choices: [
          ...found.map((value) => ({
            value: String(value),
            label: shorten(show(value, entry.key, entry.unit), 40),
          })),
          { value: every, label: "all (the best is the line)" },
        ],
        initial: String(values(sweep, entry.key)[best] ?? every),
      };
    });
}

export interface SweepView {
  x: string;
  y: string;
  series: string;
  xLog: boolean;
  yLog: boolean;
  passes(point: number): boolean;
  filtered: string; // The filters in words.
}

export function sweepControls(sweep: Sweep, view: View): Control[] {
  const axes = axesControl(sweep);
  const [x, , series] = axes.map((control) => chosen(view, control));
  const scales = [
    {
      key: "sweep.xScale",
      label: "scale across",
      choices: scaleChoices,
      initial: isOverDecades(sweep, x) ? "log" : (column(sweep, x).scale ?? "linear"),
    },
    {
      key: "sweep.yScale",
      label: "scale upwards",
      choices: scaleChoices,
      initial: column(sweep, chosen(view, axes[1])).scale ?? "linear",
    },
  ];
  return [...axes, ...scales, ...filterControls(sweep, x, series)].filter(
    (control) => control.choices.length > 1,
  );
}

export function sweepView(sweep: Sweep, view: View): SweepView {
  const controls = sweepControls(sweep, view);
  const all = axesControl(sweep);
  const [x, y, series] = all.map((control) => chosen(view, control));
  const value = (key: string) => {
    const control = controls.find((candidate) => candidate.key === key);
    return control ? chosen(view, control) : "";
  };
  const filters = controls
    .filter(({ key }) => key.startsWith("sweep.filter."))
    .map((control) => ({
      key: control.key.slice("sweep.filter.".length),
      wanted: chosen(view, control),
      control,
    }))
    .filter(({ wanted }) => wanted !== every);
  return {
    x,
    y,
    series,
    xLog: value("sweep.xScale") === "log" && isNumeric(sweep, x),
    yLog: value("sweep.yScale") === "log",
    passes: (point) =>
      filters.every(({ key, wanted }) => {
        const found = values(sweep, key)[point];
        return found === null || String(found) === wanted;
      }),
    filtered: filters
      .map(
        ({ control, wanted }) =>
          `${control.label} ${control.choices.find((choice) => choice.value === wanted)!.label}`,
      )
      .join(", "),
  };
}

export interface Line {
  name: string;
  index: number; // Its place among all series, which gives it its colour whatever the filters are.
  points: number[]; // The best point for each place across, in order of x.
  others: number[]; // The points behind it.
  isDataSheetAlone: boolean;
}

const betterWhenSmaller = /(_s|^cost_.*|_bytes)$/;

export function lines(sweep: Sweep, view: SweepView, y = view.y): Line[] {
  const shown = indices(sweep.points).filter(
    (point) =>
      isDone(sweep, point) &&
      view.passes(point) &&
      values(sweep, view.x)[point] !== null &&
      typeof values(sweep, y)[point] === "number",
  );
  const names = view.series ? distinct(values(sweep, view.series).filter((value) => value !== null)) : [null];
  const sign = betterWhenSmaller.test(y) ? -1 : 1;
  return names
    .map((name, index) => {
      const own = view.series ? shown.filter((point) => values(sweep, view.series)[point] === name) : shown;
      const best = new Map<Cell, number>();
      for (const point of own) {
        const place = values(sweep, view.x)[point];
        const before = best.get(place);
        if (
          before === undefined ||
          sign * Number(values(sweep, y)[point]) > sign * Number(values(sweep, y)[before])
        )
          best.set(place, point);
      }
      const points = [...best.values()].sort((a, b) =>
        isNumeric(sweep, view.x)
          ? Number(values(sweep, view.x)[a]) - Number(values(sweep, view.x)[b])
          : a - b,
      );
      const kept = new Set(points);
      return {
        name: name === null ? sweep.name : show(name, view.series, column(sweep, view.series).unit),
        index,
        points,
        others: own.filter((point) => !kept.has(point)),
        isDataSheetAlone:
          own.length > 0 && own.every((point) => values(sweep, "known_from")[point] === "data sheet alone"),
      };
    })
    .filter((line) => line.points.length > 0);
}

// Every figure of a point, as words. Empty ones are left out.
export function pointFigures(sweep: Sweep, point: number): [string, string][] {
  return sweep.columns
    .filter(
      ({ key }) =>
        key !== "expected_error_basis" &&
        values(sweep, key)[point] !== null &&
        values(sweep, key)[point] !== undefined,
    )
    .map((entry) => [
      titleOf(entry),
      shorten(show(values(sweep, entry.key)[point], entry.key, entry.unit), 60),
    ]);
}

// The cheapest points that are as fast: no other shown point costs less and is at least as fast.
export function paretoFront(
  points: number[],
  cost: (point: number) => number,
  speed: (point: number) => number,
): number[] {
  const front: number[] = [];
  let cheapest = Infinity;
  for (const point of [...points].sort((a, b) => speed(b) - speed(a) || cost(a) - cost(b))) {
    if (cost(point) >= cheapest) continue;
    cheapest = cost(point);
    front.push(point);
  }
  return front.reverse();
}
