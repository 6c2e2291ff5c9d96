// The course of a job through its failures: one lane of time, in which steps are trained and kept, trained and
// lost, and in which nothing is trained; above it, what failed.
//
// What is too narrow to be seen apart is joined (data/failure_course.ts). A cell of several parts shows the
// share of each as a part of its height.
import {
  cellsOf,
  counts,
  endOf,
  groupsOf,
  isJoined,
  labelLevels,
  lossBegins,
  marksOf,
  partKinds,
  partsOf,
  stallsOf,
  type Cell,
  type FailureMark,
} from "../data/failure_course";
import type { Attempt, Failures, Run } from "../data/report";
import { shownWindow, type View } from "../data/view";
import { colorOf, edgeOf, type Look } from "../style/look";
import { number, percent, seconds } from "../text/quantity";
import { shorten, taskLabel, words } from "../text/shorten";
import type { Chart, Table } from "./chart";
import {
  base,
  figures,
  labelsInside,
  legend,
  ticksAt,
  timeTicks,
  timeZoom,
  tooltip,
  valueAxis,
  font,
} from "./parts";

const of = (run: Run): Failures => run.failures!;

const kindLabels: Record<string, string> = {
  kept_steps: "steps that are kept",
  lost_steps: "steps that are lost",
  processes_end: "until all processes have ended",
  restart: "wait and restart",
  stall: "stall: all wait, and nothing ends",
};
const kindLabel = (kind: string): string => kindLabels[kind] ?? words(kind);

const because: Record<string, string> = { killed: "is killed", preempted: "is preempted", cut: "is cut off" };
const failureText = ({ kind, task }: Pick<FailureMark, "kind" | "task">): string =>
  `${taskLabel(task)} ${because[kind] ?? shorten(words(kind), 30)}`;

const counted = (count: number, noun: string): string =>
  `${number(count, 12)} ${noun}${count === 1 ? "" : "s"}`;
const time = (value: number): string => seconds(value, 6);

export function failureRange(failures: Failures, view: View): [number, number] {
  return shownWindow(view, "failures", endOf(failures));
}

// ---- What is drawn. Heights are in pixels above the axis.

const laneHeight = 42;
const levels = 3;
const levelHeight = 19;
const firstLevel = laneHeight + 17;
const plotHeight = firstLevel + levels * levelHeight - 4;
// The width for which marks are grouped and labels are placed; a wider window has more room between them.
const usualWidth = 820;
const narrowBar = 2;
const markDistances = [12, 24, 48, 96, 160];
const widthOf = (text: string): number => 12 + 6.2 * text.length;

function shownCells(failures: Failures, view: View, parts = partsOf(failures)): Cell[] {
  const [from, to] = failureRange(failures, view);
  return cellsOf(parts, from, to, (narrowBar * (to - from)) / usualWidth);
}

interface Mark {
  group: FailureMark[];
  text: string; // Empty if there is no room for it.
  level: number;
  isLeft: boolean; // The text stands left of its mark, at the end of the axis.
}

function groupText(group: FailureMark[]): string {
  return group.length === 1 ? failureText(group[0]) : counted(group.length, "failure");
}

function marksNotNearerThan(distance: number, failures: Failures, from: number, to: number): Mark[] {
  const pixel = (to - from) / usualWidth;
  const groups = groupsOf(marksOf(failures), from, to, distance * pixel);
  const xOf = (at: number) => (at < 0 ? -Infinity : (groups[at][0].time - from) / pixel);
  const texts = groups.map(groupText);
  const isLeft = texts.map((text, at) => xOf(at) + widthOf(text) > usualWidth);
  const places = texts.map((text, at) => {
    const [x, width] = [xOf(at), widthOf(text)];
    if (!isLeft[at]) return { x, width };
    return xOf(at - 1) > x - width ? { x, width: Infinity } : { x: x - width, width };
  });
  const chosen = labelLevels(places, levels);
  return groups.map((group, at) => ({
    group,
    text: chosen[at] < 0 ? "" : texts[at],
    level: Math.max(chosen[at], 0),
    isLeft: isLeft[at],
  }));
}

// Groups are made so large that each has room for its number. Failures that stand alone show by their shapes what
// they are, and are never joined for the sake of their names.
function marksIn(failures: Failures, from: number, to: number): Mark[] {
  let marks: Mark[] = [];
  for (const distance of markDistances) {
    marks = marksNotNearerThan(distance, failures, from, to);
    if (marks.every(({ group, text }) => text || group.length === 1)) break;
  }
  return marks;
}

interface DrawParameters {
  dataIndex: number;
}
interface DrawApi {
  coord(value: number[]): number[];
}
type Shape = Record<string, unknown>;

function drawCell(cell: Cell, height: number, look: Look, api: DrawApi): Shape {
  const [left, bottom] = api.coord([cell.from, 0]).map(Math.round);
  const [right, top] = api.coord([cell.to, height]).map(Math.round);
  const all = [...cell.time.values()].reduce((sum, each) => sum + each, 0);
  const kinds = [...partKinds, "stall"].filter((kind) => cell.time.has(kind));
  const width = Math.max(right - left, 1);
  let y = bottom;
  const children = kinds.map((kind) => {
    const own = (bottom - top) * (cell.time.get(kind)! / all);
    y -= own;
    return {
      type: "rect",
      shape: { x: left, y, width, height: own },
      style: {
        fill: colorOf(look, kind),
        stroke: kinds.length === 1 && width > 3 ? edgeOf(look) : undefined,
        lineWidth: 0.5,
      },
    };
  });
  return { type: "group", children };
}

// What failed differs in shape, too; several failures are a disc with their number beside it.
const symbolOf: Record<string, (x: number, y: number) => string> = {
  killed: (x, y) => `M${x - 4} ${y - 4}L${x + 4} ${y + 4}M${x - 4} ${y + 4}L${x + 4} ${y - 4}`,
  preempted: (x, y) => `M${x - 5} ${y - 4}H${x + 5}L${x} ${y + 5}Z`,
  cut: (x, y) => `M${x} ${y - 5}L${x + 5} ${y}L${x} ${y + 5}L${x - 5} ${y}Z`,
};

function drawMark({ group, text, level, isLeft }: Mark, look: Look, api: DrawApi): Shape {
  const [x, foot] = api.coord([group[0].time, 0]);
  const y = api.coord([group[0].time, firstLevel + level * levelHeight])[1];
  const symbol = group.length === 1 ? symbolOf[group[0].kind] : undefined;
  return {
    type: "group",
    children: [
      {
        type: "line",
        shape: { x1: x, y1: foot, x2: x, y2: y },
        style: { stroke: look.ink, lineWidth: 1 },
      },
      symbol
        ? {
            type: "path",
            shape: { pathData: symbol(x, y) },
            style: { fill: look.ink, stroke: look.ink, lineWidth: 2 },
          }
        : { type: "circle", shape: { cx: x, cy: y, r: 5 }, style: { fill: look.ink } },
      {
        type: "text",
        x: x + (isLeft ? -9 : 9),
        y,
        style: {
          text,
          fill: look.ink,
          fontSize: 11,
          fontFamily: font,
          align: isLeft ? "right" : "left",
          verticalAlign: "middle",
        },
      },
    ],
  };
}

// ---- What is said

function dates(from: number, to: number): [string, string][] {
  return [
    ["from", time(from)],
    ["to", time(to)],
    ["takes", seconds(to - from)],
  ];
}

function joinedFigures({ first, last, from, to, time: takes }: Cell): HTMLElement {
  const title =
    first === last
      ? `attempt ${number(first + 1, 12)}`
      : `attempts ${number(first + 1, 12)} to ${number(last + 1, 12)}`;
  const all = [...takes.values()].reduce((sum, each) => sum + each, 0);
  const shares = [...takes].map(([kind, own]): [string, string] => [
    kindLabel(kind),
    `${seconds(own)}, ${percent(own / all)}`,
  ]);
  return figures(title, [...dates(from, to), ...shares]);
}

// The steps that a part of an attempt trains, counted from 1.
function stepsOf(kind: string, { first_step, end_step, kept_steps }: Attempt): [string, string][] {
  const kept = Math.min(Math.max(kept_steps, first_step), end_step);
  const [first, last] = kind === "kept_steps" ? [first_step, kept] : [kept, end_step];
  if (!["kept_steps", "lost_steps"].includes(kind)) return [];
  return [["steps", last > first ? `${number(first + 1, 12)} to ${number(last, 12)}` : "none is done"]];
}

function cellFigures({ attempts }: Failures, cell: Cell): HTMLElement {
  if (isJoined(cell)) return joinedFigures(cell);
  const attempt = attempts[cell.first];
  const [kind] = cell.time.keys();
  const pairs = [...dates(cell.from, cell.to), ...stepsOf(kind, attempt)];
  const { failure, task, waits, steps_applied_twice, batches_read_twice } = attempt;
  if (steps_applied_twice) pairs.push(["steps applied twice", number(steps_applied_twice, 12)]);
  if (batches_read_twice) pairs.push(["batches read twice", number(batches_read_twice, 12)]);
  if (failure) pairs.push(["because", failureText({ kind: failure, task: task ?? "" })]);
  if (waits) pairs.push(["waits for ever", waits]);
  return figures(`attempt ${number(cell.first + 1, 12)}: ${kindLabel(kind)}`, pairs);
}

function stallFigures({ stalls }: Failures, { first, last, from, to }: Cell): HTMLElement {
  if (first !== last) return figures(counted(last - first + 1, "stall"), dates(from, to));
  const { failure, task } = stalls[first];
  return figures(`all wait: ${failureText({ kind: failure, task })}`, dates(from, to));
}

function markFigures({ attempts }: Failures, { group }: Mark): HTMLElement {
  const [{ attempt: at, time: date }] = group;
  const attempt = attempts[at];
  if (group.length > 1)
    return figures(
      counted(group.length, "failure"),
      [
        ["from", time(date)],
        ["to", time(group[group.length - 1].time)],
        ...counts(group.map(failureText)).map(([text, count]): [string, string] => [text, number(count, 12)]),
      ].slice(0, 14) as [string, string][],
    );
  const pairs: [string, string][] = [["at", time(date)]];
  if (attempt) {
    pairs.push(
      ["attempt", number(at + 1, 12)],
      ["steps that are lost", number(attempt.lost_steps ?? 0, 12)],
      ["saved in time", attempt.saved_in_time ? "yes" : "no"],
      ["all processes have ended at", time(attempt.end_s ?? attempt.stop_s)],
    );
    if (attempt.status) pairs.push([attempt.status, attempt.message ?? ""]);
  } else pairs.push(["ends", "nothing: all wait until it is over"]);
  return figures(failureText(group[0]), pairs);
}

export const jobCourse: Chart<Run> = {
  slug: "failures",
  short: "Failures",
  title: (run) =>
    `The job through its failures: ${counted(of(run).restarts, "restart")}, ${counted(of(run).lost_steps, "step")} lost, goodput ${percent(of(run).goodput)}`,
  explain(run) {
    const { complete, goodput, end_s, undisturbed_s, time_to_recover_s } = of(run);
    return [
      complete
        ? `The training ends after ${seconds(end_s)}, and would end after ${seconds(undisturbed_s)} if nothing failed.`
        : `The job ends after ${seconds(end_s)} with steps left to train; all would be trained after ${seconds(undisturbed_s)} if nothing failed.`,
      `Steps that are kept take ${percent(goodput)} of the time.`,
      time_to_recover_s === undefined
        ? ""
        : `On average ${seconds(time_to_recover_s)} pass from a failure until the training is again where it was.`,
      shownCells(of(run), {}).some(isJoined)
        ? "Where parts are too narrow to be seen apart, heights are their shares of the time."
        : "",
    ]
      .filter(Boolean)
      .join(" ");
  },
  behaviour: "failures",
  applies: (run) => !!run.failures && marksOf(run.failures).length > 0,
  height: () => plotHeight + 112,
  option(run, look, view) {
    const failures = of(run);
    const end = endOf(failures);
    const [from, to] = failureRange(failures, view);
    const cells = shownCells(failures, view);
    const stalls = shownCells(failures, view, stallsOf(failures));
    const marks = marksIn(failures, from, to);
    const kinds = [...partKinds.filter((kind) => partsOf(failures).some((part) => part.kind === kind))];
    const legendKinds = [...kinds, ...(failures.stalls.length ? ["stall"] : [])];
    const custom = <Item>(
      name: string,
      items: Item[],
      place: (item: Item) => number,
      draw: (item: Item, api: DrawApi) => Shape,
      say: (item: Item) => HTMLElement,
    ) => ({
      type: "custom",
      name,
      color: look.ink,
      data: items.map((item) => ({ value: [place(item), laneHeight / 2], say: () => say(item) })),
      renderItem: ((params: DrawParameters, api: DrawApi) => draw(items[params.dataIndex], api)) as never,
    });
    return {
      ...base(look),
      aria: { enabled: false },
      legend: legend(look, { data: legendKinds.map(kindLabel), selectedMode: false }),
      grid: { left: 8, right: 20, top: 34, bottom: 44, ...labelsInside },
      tooltip: tooltip(
        look,
        ((item: { data: { say?: () => HTMLElement } }) => item.data.say?.() ?? "") as never,
      ),
      xAxis: {
        ...ticksAt(
          valueAxis(look, "", (value) => seconds(value, 7)),
          timeTicks(from, to),
        ),
        min: 0,
        max: end,
      },
      yAxis: { type: "value", show: false, min: 0, max: plotHeight },
      dataZoom: timeZoom(look, from, to, end),
      series: [
        // The legend's entries; bars of several kinds are one item each, and so one series.
        ...legendKinds.map((kind) => ({
          type: "custom",
          name: kindLabel(kind),
          color: colorOf(look, kind),
          silent: true,
          data: [],
          renderItem: (() => undefined) as never,
        })),
        {
          ...custom(
            "parts",
            cells,
            ({ from: start, to: stop }) => (start + stop) / 2,
            (cell, api) => drawCell(cell, laneHeight, look, api),
            (cell) => cellFigures(failures, cell),
          ),
          clip: true,
        },
        {
          ...custom(
            "stalls",
            stalls,
            ({ from: start, to: stop }) => (start + stop) / 2,
            (cell, api) => drawCell(cell, laneHeight / 2, look, api),
            (cell) => stallFigures(failures, cell),
          ),
          clip: true,
        },
        custom(
          "failures",
          marks,
          ({ group }) => group[0].time,
          (mark, api) => drawMark(mark, look, api),
          (mark) => markFigures(failures, mark),
        ),
      ],
    };
  },
  table: (run) => courseTable(of(run)),
};

function courseTable({ attempts, stalls }: Failures): Table {
  const date = (title: string) => ({ title, numeric: true, show: (value: unknown) => time(value as number) });
  const count = (title: string) => ({
    title,
    numeric: true,
    show: (value: unknown) => number(value as number, 12),
  });
  return {
    columns: [
      { title: "what" },
      date("begins (s)"),
      date("loses steps from (s)"),
      date("stops (s)"),
      date("processes end (s)"),
      count("steps before"),
      count("steps at its stop"),
      count("kept steps"),
      count("lost steps"),
      count("steps applied twice"),
      count("batches read twice"),
      { title: "failure" },
      { title: "of" },
      { title: "saved in time", show: (value) => (value ? "yes" : "no") },
      { title: "status" },
      { title: "message" },
      { title: "waits for ever" },
    ],
    rows: [
      ...attempts.map((attempt, at) => [
        `attempt ${at + 1}`,
        attempt.begin_s,
        lossBegins(attempt) < attempt.stop_s ? lossBegins(attempt) : null,
        attempt.stop_s,
        attempt.end_s ?? null,
        attempt.first_step,
        attempt.end_step,
        attempt.kept_steps,
        attempt.lost_steps ?? null,
        attempt.steps_applied_twice ?? null,
        attempt.batches_read_twice ?? null,
        attempt.failure ?? null,
        attempt.task ?? null,
        attempt.saved_in_time ?? null,
        attempt.status ?? null,
        attempt.message ?? null,
        attempt.waits ?? null,
      ]),
      ...stalls.map((stall, at) => [
        `stall ${at + 1}`,
        stall.begin_s,
        null,
        stall.end_s,
        ...Array<null>(7).fill(null),
        stall.failure,
        stall.task,
        ...Array<null>(4).fill(null),
      ]),
    ],
  };
}
