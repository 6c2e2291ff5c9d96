// The bars of one step: devices, their streams, and links, from the first row's copy to the end of the step.
//
// There is one series for each kind of bar, and each series has one item, which draws all bars of its kind
// that the window shows as a single path. So a zoom draws what is visible, and nothing is kept for bars
// outside.
import { distinct } from "../data/columns";
import type { Run, Timeline } from "../data/report";
import { chosen, shownWindow, type Control, type View } from "../data/view";
import { indexBars, visibleBars, type BarIndex } from "../data/visible_bars";
import { colorOf, inkOn, type Look } from "../style/look";
import { bytes, number, seconds } from "../text/quantity";
import { deviceLabel, shorten, words } from "../text/shorten";
import type { Chart } from "./chart";
import { base, categories, labelsInside, legend, sliderStyle, timeZoom, valueAxis } from "./parts";

const indexOf = new WeakMap<Timeline, BarIndex>();

export function barIndex(timeline: Timeline): BarIndex {
  let index = indexOf.get(timeline);
  if (!index) indexOf.set(timeline, (index = indexBars(timeline)));
  return index;
}

// How many bars the last drawing of each kind had in its window, and how many shapes it drew for them.
export interface Drawn {
  bars: number;
  shapes: number;
}
const drawnOf = new WeakMap<Timeline, Map<number, Drawn>>();

export function drawn(timeline: Timeline): Drawn {
  const sum = { bars: 0, shapes: 0 };
  for (const { bars, shapes } of drawnOf.get(timeline)?.values() ?? []) {
    sum.bars += bars;
    sum.shapes += shapes;
  }
  return sum;
}

const mostRowsAtOnce = 40;
const fewTracks = 16;

// Which tracks are shown. Links are many, and what devices do is asked first.
function tracksControl(timeline: Timeline): Control {
  const links = timeline.tracks.kind.filter((kind) => kind === "link").length;
  const choices = [
    { value: "compute", label: "compute and communication" },
    { value: "devices", label: "all of the devices" },
    { value: "all", label: "devices and links" },
    { value: "links", label: "links" },
  ];
  const total = timeline.tracks.name.length;
  const initial = total <= fewTracks ? "all" : total - links <= mostRowsAtOnce ? "devices" : "compute";
  return { key: "timeline.tracks", label: "tracks", choices: links ? choices : choices.slice(0, 2), initial };
}

const criticalControl: Control = {
  key: "timeline.critical",
  label: "critical path",
  choices: [
    { value: "show", label: "marked" },
    { value: "hide", label: "not marked" },
  ],
  initial: "show",
};

export function shownTracks(timeline: Timeline, view: View): number[] {
  const which = chosen(view, tracksControl(timeline));
  const { kind } = timeline.tracks;
  const used = new Set(timeline.bars.track);
  const wanted = kind
    .map((_, track) => track)
    .filter((track) => {
      if (!used.has(track)) return false;
      const isLink = kind[track] === "link";
      if (which === "all") return true;
      if (which === "links") return isLink;
      return which === "devices" ? !isLink : ["compute", "communication", "waiting"].includes(kind[track]);
    });
  return wanted.sort((a, b) => timeline.tracks.group[a] - timeline.tracks.group[b] || a - b);
}

function trackLabel(timeline: Timeline, track: number): string {
  const { tracks, groups } = timeline;
  if (tracks.kind[track] === "link") return shorten(tracks.label[track], 38);
  return `${deviceLabel(groups.name[tracks.group[track]])} · ${shorten(tracks.label[track], 24)}`;
}

export function barFigures(timeline: Timeline, bar: number): [string, string][] {
  const { bars } = timeline;
  const before = bars.waited_for[bar];
  const pairs: [string, string][] = [
    ["kind", words(timeline.kinds[bars.kind[bar]])],
    ["of", shorten(timeline.scopes[bars.scope[bar]], 70)],
    ["on", trackLabel(timeline, bars.track[bar])],
    ["starts at", seconds(bars.start_us[bar] * 1e-6, 6)],
    ["takes", seconds(bars.duration_us[bar] * 1e-6, 5)],
  ];
  if (bars.bytes[bar] !== null) pairs.push(["size", bytes(bars.bytes[bar])]);
  if (before >= 0) pairs.push(["waited for", shorten(timeline.names[bars.name[before]], 50)]);
  if (bars.critical[bar]) pairs.push(["", "on the critical path"]);
  return pairs;
}

export function barName(timeline: Timeline, bar: number): string {
  return timeline.names[timeline.bars.name[bar]];
}

// Kinds differ in height, too, which distinguishes them without colour.
const heightOf: Record<string, number> = {
  kernel: 0.8,
  collective: 0.94,
  message: 0.5,
  synchronization: 0.34,
  dispatch: 0.34,
  software: 0.34,
};

interface DrawParameters {
  coordSys: { x: number; y: number; width: number; height: number };
}
interface DrawApi {
  coord(value: number[]): number[];
  size(value: number[]): number[];
}
type Shape = Record<string, unknown>;

// The window in microseconds, and the functions from time and row to pixels.
function windowOf(timeline: Timeline, { coordSys }: DrawParameters, api: DrawApi) {
  const step = timeline.step_time_s * 1e6;
  const origin = api.coord([0, 0])[0];
  const scale = (api.coord([step, 0])[0] - origin) / step;
  return {
    from: (coordSys.x - origin) / scale,
    to: (coordSys.x + coordSys.width - origin) / scale,
    pixel: 1 / scale,
    x: (time: number) => Math.min(Math.max(origin + time * scale, coordSys.x), coordSys.x + coordSys.width),
    y: (row: number) => api.coord([0, row])[1],
    rowHeight: api.size([0, 1])[1],
    shows: (y: number) => y >= coordSys.y && y <= coordSys.y + coordSys.height,
  };
}

function drawKind(
  timeline: Timeline,
  rows: number[],
  kind: number,
  look: Look,
  params: DrawParameters,
  api: DrawApi,
): Shape {
  const window = windowOf(timeline, params, api);
  const index = barIndex(timeline);
  const name = timeline.kinds[kind];
  const fill = colorOf(look, name);
  const height = Math.min(22, window.rowHeight * (heightOf[name] ?? 0.66));
  const texts: Shape[] = [];
  const count = { bars: 0, shapes: 0 };
  let path = "";
  rows.forEach((track, row) => {
    const list = index.tracks[track].get(kind);
    const middle = window.y(row);
    if (!list || !window.shows(middle)) return;
    const top = middle - height / 2;
    for (const span of visibleBars(timeline, list, window.from, window.to, window.pixel)) {
      const left = window.x(span.from);
      const right = window.x(span.to);
      const width = Math.max(right - left - (span.joined === 1 && right - left > 4 ? 0.6 : 0), 0.7);
      path += `M${left.toFixed(2)} ${top.toFixed(2)}h${width.toFixed(2)}v${height.toFixed(2)}h${(-width).toFixed(2)}z`;
      count.bars += span.joined;
      count.shapes += 1;
      if (width > 44 && height > 10 && span.joined === 1)
        texts.push(barText(timeline, span.bar, left, top, width, height, fill));
    }
  });
  let counts = drawnOf.get(timeline);
  if (!counts) drawnOf.set(timeline, (counts = new Map()));
  counts.set(kind, count);
  if (!path) return { type: "group", children: [] };
  return {
    type: "group",
    children: [
      {
        type: "path",
        shape: { pathData: path },
        style: {
          fill,
          stroke: look.name === "print" && inkOn(fill) !== "#ffffff" ? look.ink : undefined,
          lineWidth: 0.5,
        },
        silent: true,
      },
      ...texts,
    ],
  };
}

function barText(
  timeline: Timeline,
  bar: number,
  left: number,
  top: number,
  width: number,
  height: number,
  fill: string,
): Shape {
  return {
    type: "text",
    silent: true,
    x: left + 4,
    y: top + height / 2,
    style: {
      text: shorten(barName(timeline, bar), 60),
      fill: inkOn(fill),
      font: `${Math.min(11, height - 3)}px sans-serif`,
      verticalAlign: "middle",
      width: width - 8,
      overflow: "truncate",
      ellipsis: "…",
    },
  };
}

// Arrows run from the end of what was waited for to the start of the bar that waited.
function arrow(
  timeline: Timeline,
  rowOf: Map<number, number>,
  window: ReturnType<typeof windowOf>,
  bar: number,
): string {
  const { bars } = timeline;
  const before = bars.waited_for[bar];
  if (before < 0) return "";
  const [rowA, rowB] = [rowOf.get(bars.track[before]), rowOf.get(bars.track[bar])];
  if (rowA === undefined || rowB === undefined) return "";
  const end = bars.start_us[before] + bars.duration_us[before];
  const start = bars.start_us[bar];
  if (Math.max(end, start) < window.from || Math.min(end, start) > window.to) return "";
  const [x1, y1, x2, y2] = [window.x(end), window.y(rowA), window.x(start), window.y(rowB)];
  if (!window.shows(y1) || !window.shows(y2)) return "";
  if (rowA === rowB && x2 - x1 < 3) return "";
  const head =
    y1 === y2
      ? `M${x2 - 5} ${y2 - 3}L${x2} ${y2}L${x2 - 5} ${y2 + 3}`
      : `M${x2 - 3} ${y2 - Math.sign(y2 - y1) * 6}L${x2} ${y2}L${x2 + 3} ${y2 - Math.sign(y2 - y1) * 6}`;
  return `M${x1} ${y1}L${x2} ${y2}${head}`;
}

function drawArrows(
  timeline: Timeline,
  rows: number[],
  look: Look,
  view: View,
  params: DrawParameters,
  api: DrawApi,
): Shape {
  const window = windowOf(timeline, params, api);
  const rowOf = new Map(rows.map((track, row) => [track, row]));
  const { bars } = timeline;
  const children: Shape[] = [];
  if (chosen(view, criticalControl) === "show") {
    let path = "";
    let line = "";
    for (let bar = 0; bar < bars.track.length; ++bar) {
      if (!bars.critical[bar]) continue;
      const row = rowOf.get(bars.track[bar]);
      path += arrow(timeline, rowOf, window, bar);
      if (
        row === undefined ||
        bars.start_us[bar] > window.to ||
        bars.start_us[bar] + bars.duration_us[bar] < window.from
      )
        continue;
      const y = window.y(row);
      if (!window.shows(y)) continue;
      const under = y + Math.min(11, window.rowHeight * 0.48);
      line += `M${window.x(bars.start_us[bar]).toFixed(1)} ${under.toFixed(1)}L${window.x(bars.start_us[bar] + bars.duration_us[bar]).toFixed(1)} ${under.toFixed(1)}`;
    }
    if (line)
      children.push({
        type: "path",
        silent: true,
        shape: { pathData: line },
        style: { stroke: look.ink, fill: "none", lineWidth: 2 },
      });
    if (path)
      children.push({
        type: "path",
        silent: true,
        shape: { pathData: path },
        style: { stroke: look.ink, fill: "none", lineWidth: 1, opacity: 0.75 },
      });
  }
  for (const key of ["timeline.hovered", "timeline.selected"]) {
    const bar = Number(view[key] ?? -1);
    if (!(bar >= 0 && bar < bars.track.length)) continue;
    const row = rowOf.get(bars.track[bar]);
    if (row === undefined) continue;
    let path = "";
    for (let at = bar, steps = 0; at >= 0 && steps < 40; at = bars.waited_for[at], ++steps)
      path += arrow(timeline, rowOf, window, at);
    const [left, right] = [
      window.x(bars.start_us[bar]),
      window.x(bars.start_us[bar] + bars.duration_us[bar]),
    ];
    const y = window.y(row);
    const accent = look.lines[1];
    if (window.shows(y))
      children.push({
        type: "rect",
        silent: true,
        shape: { x: left - 1, y: y - 11, width: Math.max(3, right - left + 2), height: 22 },
        style: { stroke: accent, fill: "none", lineWidth: 2 },
      });
    if (path)
      children.push({
        type: "path",
        silent: true,
        shape: { pathData: path },
        style: { stroke: accent, fill: "none", lineWidth: 2 },
      });
  }
  return { type: "group", children };
}

// The part of the step that is shown, in microseconds.
export function range(timeline: Timeline, view: View): [number, number] {
  return shownWindow(view, "timeline", timeline.step_time_s * 1e6);
}

export const timeline: Chart<Run> = {
  slug: "timeline",
  short: "Timeline",
  title: () => "Timeline of one step: what each device and link does when",
  explain(run) {
    const data = run.timeline!;
    const shown = data.shown && data.shown !== "one step" ? `Shown is ${data.shown}. ` : "";
    const left = data.left_out ? `${data.left_out} ` : "";
    return `${shown}${left}A line below bars marks the critical path, and arrows run from what was waited for.`;
  },
  behaviour: "timeline",
  applies: (run) => (run.timeline?.bars.track.length ?? 0) > 0,
  controls: (run) => [tracksControl(run.timeline!), criticalControl],
  height(run, view) {
    const rows = Math.max(1, Math.min(mostRowsAtOnce, shownTracks(run.timeline!, view).length));
    return 128 + rows * (rows > 24 ? 17 : 24);
  },
  option(run, look, view) {
    const data = run.timeline!;
    const rows = shownTracks(data, view);
    const [from, to] = range(data, view);
    const kinds = distinct(data.bars.kind).sort((a, b) => a - b);
    const end = data.step_time_s * 1e6;
    const custom = (name: string, color: string, draw: (params: DrawParameters, api: DrawApi) => Shape) => ({
      type: "custom",
      name,
      color,
      silent: true,
      clip: true,
      data: [[0, 0]],
      renderItem: draw as never,
    });
    const scrolls = rows.length > mostRowsAtOnce;
    return {
      ...base(look),
      aria: { enabled: false },
      legend: legend(look, { data: kinds.map((kind) => words(data.kinds[kind])) }),
      grid: { left: 8, right: scrolls ? 44 : 20, top: 34, bottom: 54, ...labelsInside },
      xAxis: {
        ...valueAxis(look, "", (value) => seconds(value * 1e-6, 7)),
        min: 0,
        max: end,
        splitNumber: 6,
        position: "bottom",
        axisLabel: {
          color: look.muted,
          fontSize: 11,
          showMaxLabel: false,
          formatter: (value: number) => seconds(value * 1e-6, 7),
        },
      },
      yAxis: {
        ...categories(
          look,
          rows.map((track) => trackLabel(data, track)),
        ),
        inverse: true,
        axisLabel: { color: look.ink, fontSize: rows.length > 24 ? 10 : 11, interval: 0 },
        splitLine: { show: true, lineStyle: { color: look.rule, opacity: 0.5 } },
      },
      dataZoom: [
        ...timeZoom(look, from, to, end),
        ...(scrolls
          ? [
              {
                type: "slider",
                id: "rows",
                yAxisIndex: 0,
                filterMode: "none",
                right: 6,
                width: 16,
                startValue: 0,
                endValue: mostRowsAtOnce - 1,
                zoomLock: true,
                ...sliderStyle(look),
              },
            ]
          : []),
      ],
      series: [
        ...kinds.map((kind) =>
          custom(words(data.kinds[kind]), colorOf(look, data.kinds[kind]), (params, api) =>
            drawKind(data, rows, kind, look, params, api),
          ),
        ),
        custom("arrows", look.ink, (params, api) => drawArrows(data, rows, look, view, params, api)),
      ],
    };
  },
  table(run) {
    const data = run.timeline!;
    const { bars } = data;
    const time = (title: string) => ({
      title,
      numeric: true,
      show: (value: unknown) => seconds((value as number) * 1e-6, 6),
    });
    return {
      columns: [
        { title: "name" },
        { title: "kind" },
        { title: "of" },
        { title: "track" },
        time("start (µs)"),
        time("duration (µs)"),
        { title: "size", numeric: true, show: (value) => bytes(value as number | null) },
        { title: "waited for" },
        { title: "critical", show: (value) => (value ? "yes" : "") },
      ],
      rows: bars.track.map((track, bar) => [
        barName(data, bar),
        words(data.kinds[bars.kind[bar]]),
        data.scopes[bars.scope[bar]],
        data.tracks.name[track],
        bars.start_us[bar],
        bars.duration_us[bar],
        bars.bytes[bar],
        bars.waited_for[bar] >= 0 ? barName(data, bars.waited_for[bar]) : null,
        bars.critical[bar],
      ]),
    };
  },
};

export function rangeText(timeline: Timeline, view: View): string {
  const [from, to] = range(timeline, view);
  const { bars, shapes } = drawn(timeline);
  const whole = timeline.bars.track.length;
  return `${seconds(from * 1e-6, 5)} to ${seconds(to * 1e-6, 5)} · ${number(bars)} of ${number(whole, 9)} bars in ${number(shapes, 9)} shapes`;
}
