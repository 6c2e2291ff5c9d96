// The charts of a sweep. What they share is the view: axes, series and filters, which the reader chooses
// once.
import { distinct, largest } from "../data/columns";
import type { Sweep } from "../data/report";
import {
  column,
  isDone,
  lines,
  paretoFront,
  pointFigures,
  sweepView,
  title,
  type Line,
  type SweepView,
} from "../data/sweep_view";
import type { View } from "../data/view";
import { stroke, type Look } from "../style/look";
import { isShare, number, show, tick } from "../text/quantity";
import { shorten } from "../text/shorten";
import type { Chart, Table } from "./chart";
import {
  axisStyle,
  base,
  below,
  figures,
  labelsInside,
  legend,
  legendHeight,
  logEnds,
  ticksAt,
  tooltip,
  valueAxis,
} from "./parts";

function at(sweep: Sweep, key: string, point: number): number | null {
  const value = sweep.values[key]?.[point];
  return typeof value === "number" ? value : null;
}

function axis(sweep: Sweep, look: Look, key: string, isLog: boolean, isAcross: boolean) {
  const entry = column(sweep, key);
  const isText = (sweep.values[key] ?? []).some((value) => typeof value === "string");
  if (isText) {
    const order = [...new Set((sweep.values[key] ?? []).filter((value) => value !== null).map(String))];
    return below({ type: "category", name: shorten(entry.title, 60), data: order, ...axisStyle(look) });
  }
  const format = tick(key, entry.unit);
  const style = valueAxis(look, title(entry), format);
  const scaled = !isLog
    ? { ...style, scale: false }
    : isAcross
      ? logAcross(sweep, key, style)
      : { ...style, type: "log", logBase: 10 };
  return isAcross ? below(scaled) : { ...scaled, nameTextStyle: { align: "left", color: look.muted } };
}

// A logarithmic axis across has its ticks at powers of two if all values are such, and otherwise at the values
// themselves while they are few.
function logAcross(sweep: Sweep, key: string, style: ReturnType<typeof valueAxis>) {
  const found = distinct(sweep.values[key] ?? []).filter((value) => typeof value === "number");
  if (isPowersOfTwo(sweep, key) || found.length > mostTicks)
    return { ...style, type: "log", logBase: isPowersOfTwo(sweep, key) ? 2 : 10 };
  return { ...ticksAt(style, found), type: "log", min: "dataMin", max: "dataMax" };
}
const mostTicks = 12;

function isPowersOfTwo(sweep: Sweep, key: string): boolean {
  return (sweep.values[key] ?? []).every(
    (value) => typeof value !== "number" || Number.isInteger(Math.log2(value)),
  );
}

// Where the true value lies in 80 of 100 cases, from the published errors of predictions like this one. Only
// figures that are proportional to speed, or to time, have such an interval.
function interval(sweep: Sweep, key: string, point: number): [number, number] | null {
  const value = at(sweep, key, point);
  const low = at(sweep, "predicted_over_true_low", point);
  const high = at(sweep, "predicted_over_true_high", point);
  if (value === null || low === null || high === null || low <= 0) return null;
  if (/samples_per_second|tokens_per_second/.test(key)) return [value / high, value / low];
  if (/^(step_time_s|epoch_time_s|job_time_s|cost_per_(job|epoch|million_samples))$/.test(key))
    return [value * low, value * high];
  return null;
}

function xOf(sweep: Sweep, view: SweepView, point: number): number | string {
  const value = sweep.values[view.x][point];
  return typeof value === "number" ? value : String(value);
}

interface BandApi {
  coord(value: (number | string)[]): number[];
}

function band(sweep: Sweep, view: SweepView, line: Line, y: string, color: string) {
  const places = line.points
    .map((point) => ({ x: xOf(sweep, view, point), ends: interval(sweep, y, point) }))
    .filter((place) => place.ends);
  if (places.length === 0) return [];
  return [
    {
      type: "custom",
      name: line.name,
      color,
      silent: true,
      clip: true,
      z: 1,
      data: [[places[0].x, places[0].ends![0]]],
      tooltip: { show: false },
      renderItem: ((_: unknown, api: BandApi) => ({
        type: "polygon",
        silent: true,
        shape: {
          points: [
            ...places.map(({ x, ends }) => api.coord([x, ends![1]])),
            ...places.reverse().map(({ x, ends }) => api.coord([x, ends![0]])),
          ],
        },
        style: { fill: color, opacity: 0.13 },
      })) as never,
    },
  ];
}

const idealName = "ideal";
const missingName = "not possible (reasons below)";

// The ideal is the speed of the baseline times the devices; its efficiency is 1.
function idealPoints(sweep: Sweep, view: SweepView, line: Line, y: string): [number, number | null][] {
  if (view.x !== "devices" || !["samples_per_second", "samples_per_second_per_device"].includes(y)) return [];
  return line.points
    .map((point): [number, number | null] => {
      const devices = at(sweep, "devices", point);
      const speed = at(sweep, "baseline_samples_per_second", point);
      const of = at(sweep, "baseline_devices", point);
      if (devices === null || speed === null || !of) return [0, null];
      return [devices, y === "samples_per_second_per_device" ? speed / of : (speed / of) * devices];
    })
    .filter(([, value]) => value !== null);
}

function ideal(sweep: Sweep, view: SweepView, line: Line, y: string, color: string) {
  const points = idealPoints(sweep, view, line, y);
  if (points.length < 2) return [];
  return [
    {
      type: "line",
      name: idealName,
      color,
      symbol: "none",
      itemStyle: { opacity: 0 },
      silent: true,
      data: points,
      z: 1,
      tooltip: { show: false },
      lineStyle: { type: [1, 3], width: 1.2, color, opacity: 0.9 },
    },
  ];
}

// Points that were not timed stand as crosses at the lower edge, at the place across where a line misses
// them.
function missing(sweep: Sweep, view: SweepView, look: Look, floor: number) {
  const points = missingPoints(sweep, view);
  if (points.length === 0) return [];
  return [
    {
      type: "scatter",
      name: missingName,
      color: look.muted,
      symbolSize: 9,
      z: 4,
      symbol: "path://M0 1L1 0L5 4L9 0L10 1L6 5L10 9L9 10L5 6L1 10L0 9L4 5Z",
      data: points.map((point) => ({ value: [xOf(sweep, view, point), floor], point })),
    },
  ];
}

function missingPoints(sweep: Sweep, view: SweepView): number[] {
  return [...Array(sweep.points).keys()].filter(
    (point) => !isDone(sweep, point) && view.passes(point) && sweep.values[view.x]?.[point] !== null,
  );
}

function extent(sweep: Sweep, view: SweepView, shown: Line[], y: string): (number | null)[] {
  return shown.flatMap((line) => [
    ...line.points.flatMap((point) => [at(sweep, y, point), ...(interval(sweep, y, point) ?? [])]),
    ...idealPoints(sweep, view, line, y).map(([, value]) => value),
  ]);
}

// Figures whose highest point is what a sweep is drawn for: in between two ways to lose.
function isOptimum(y: string): boolean {
  return y === "goodput";
}

function bestOf(sweep: Sweep, line: Line, y: string): number {
  return line.points.reduce((best, point) => (at(sweep, y, point)! > at(sweep, y, best)! ? point : best));
}

function bestText(sweep: Sweep, view: SweepView, shown: Line[], y: string): string {
  const [x, figure] = [column(sweep, view.x), column(sweep, y)];
  const best = shown.slice(0, 4).map((line) => {
    const point = bestOf(sweep, line, y);
    const [height, place] = [at(sweep, y, point), sweep.values[view.x][point]];
    const ends = line.points.length > 1 ? [line.points[0], line.points[line.points.length - 1]] : [];
    const where = show(place, x.key, x.unit) + ["", ", the least", ", the most"][ends.indexOf(point) + 1];
    return `${lineName(line)}: ${show(height, y, figure.unit)} at ${where}`;
  });
  return `Highest ${figure.title} (large symbols), by ${x.title}: ${best.join("; ")}${shown.length > 4 ? "; …" : ""}.`;
}

function lineName(line: Line): string {
  return shorten(line.name, 40) + (line.isDataSheetAlone ? " (data sheet alone)" : "");
}

function lineSeries(sweep: Sweep, view: SweepView, look: Look, shown: Line[], y: string, floor: number) {
  const series = shown.flatMap((line): object[] => {
    const { color, dash, symbol } = stroke(look, line.index);
    const best = isOptimum(y) ? bestOf(sweep, line, y) : -1;
    const item = (point: number) => ({
      value: [xOf(sweep, view, point), at(sweep, y, point)],
      point,
      ...(point === best ? { symbolSize: 15 } : {}),
    });
    const name = lineName(line);
    const named = { ...line, name };
    return [
      {
        type: "line",
        name,
        color,
        data: line.points.map(item),
        symbol,
        itemStyle: line.isDataSheetAlone ? { color: look.surface, borderColor: color, borderWidth: 1.6 } : {},
        symbolSize: 8,
        showAllSymbol: true,
        lineStyle: {
          color,
          width: line.isDataSheetAlone ? 1.6 : 2.2,
          type: line.isDataSheetAlone ? [6, 3] : dash,
        },
        z: 3,
      },
      ...band(sweep, view, named, y, color),
      ...ideal(sweep, view, line, y, look.muted),
      ...(line.others.length
        ? [
            {
              type: "scatter",
              name,
              color,
              symbol: "circle",
              symbolSize: 4,
              data: line.others.map(item),
              itemStyle: { opacity: 0.4 },
              z: 2,
            },
          ]
        : []),
    ];
  });
  return [...series, ...missing(sweep, view, look, floor)];
}

function hover(sweep: Sweep, look: Look) {
  return tooltip(look, ((item: { data: { point?: number }; seriesName: string }) => {
    const point = item.data.point;
    return point === undefined
      ? ""
      : figures(
          `point ${number(at(sweep, "point", point) ?? point)}: ${item.seriesName}`,
          pointFigures(sweep, point),
        );
  }) as never);
}

function lineChart(
  slug: string,
  short: string,
  yOf: (view: SweepView) => string,
  titleOf: (sweep: Sweep, view: SweepView) => string,
  applies: (sweep: Sweep) => boolean,
): Chart<Sweep> {
  return {
    slug,
    short,
    title: (sweep, view) => titleOf(sweep, sweepView(sweep, view)),
    explain(sweep, view) {
      const chosen = sweepView(sweep, view);
      const shown = lines(sweep, chosen, yOf(chosen));
      if (shown.length === 0) return "No point was timed with these filters.";
      const shaded = shown.some((line) => line.points.some((point) => interval(sweep, yOf(chosen), point)));
      return [
        chosen.filtered ? `With ${chosen.filtered}.` : "",
        isOptimum(yOf(chosen)) ? bestText(sweep, chosen, shown, yOf(chosen)) : "",
        shaded ? "Shaded: where the true value lies in 80 of 100 cases, by published errors." : "",
        shown.some((line) => line.isDataSheetAlone)
          ? "Dashed, with hollow symbols: devices known from their data sheet alone."
          : "",
      ]
        .filter(Boolean)
        .join(" ");
    },
    applies,
    height: () => 430,
    option(sweep, look, view) {
      const chosen = sweepView(sweep, view);
      const y = yOf(chosen);
      const shown = lines(sweep, chosen, y);
      const yLog = chosen.yLog && !isShare(y) && y === chosen.y;
      const ends = yLog ? logEnds(extent(sweep, chosen, shown, y)) : {};
      const floor = ends.min ?? 0;
      const names = [
        ...shown.map(lineName),
        ...(chosen.x === "devices" && y.startsWith("samples") ? [idealName] : []),
        ...(missingPoints(sweep, chosen).length ? [missingName] : []),
      ];
      return {
        ...base(look),
        legend: legend(look, { data: names }),
        grid: { left: 8, right: 30, top: legendHeight(names), bottom: 10, ...labelsInside },
        tooltip: hover(sweep, look),
        xAxis: axis(sweep, look, chosen.x, chosen.xLog, true),
        yAxis: { ...axis(sweep, look, y, yLog, false), ...(yLog ? ends : { min: 0 }) },
        series: lineSeries(sweep, chosen, look, shown, y, floor),
      };
    },
    table: (sweep, view) => {
      const chosen = sweepView(sweep, view);
      return lineTable(sweep, chosen, yOf(chosen));
    },
  };
}

function lineTable(sweep: Sweep, view: SweepView, y: string): Table {
  const [x, figure] = [column(sweep, view.x), column(sweep, y)];
  const cell = (entry: { key: string; unit: string }) => (value: unknown) =>
    show(value, entry.key, entry.unit);
  return {
    columns: [
      { title: view.series ? column(sweep, view.series).title : "series" },
      { title: x.title, numeric: true, show: cell(x) },
      { title: figure.title, numeric: true, show: cell(figure) },
      { title: "low end", numeric: true, show: cell(figure) },
      { title: "high end", numeric: true, show: cell(figure) },
      { title: "known from" },
    ],
    rows: lines(sweep, view, y).flatMap((line) =>
      line.points.map((point) => {
        const ends = interval(sweep, y, point);
        return [
          line.name,
          xOf(sweep, view, point),
          at(sweep, y, point),
          ends?.[0] ?? null,
          ends?.[1] ?? null,
          sweep.values.known_from?.[point] ?? null,
        ];
      }),
    ),
  };
}

const upperFirst = (text: string) => text[0].toUpperCase() + text.slice(1);

export const sweepFigure = lineChart(
  "sweep",
  "Figure by axis",
  (view) => view.y,
  (sweep, view) =>
    `${upperFirst(title(column(sweep, view.y)))} against ${column(sweep, view.x).title}` +
    (view.series ? `, for each ${column(sweep, view.series).title}` : ""),
  (sweep) => (sweep.values.samples_per_second ?? []).some((value) => value !== null),
);

export const sweepEfficiency = lineChart(
  "sweep-efficiency",
  "Scaling efficiency",
  () => "scaling_efficiency",
  (sweep, view) => `Scaling efficiency against ${column(sweep, view.x).title}; ideal is 100 %`,
  (sweep) =>
    distinct((sweep.values.scaling_efficiency ?? []).filter((value) => value !== null)).length >
    (sweep.points > 1 ? 1 : 0),
);

function costKey(sweep: Sweep): string | undefined {
  return ["cost_per_million_samples", "cost_per_epoch", "cost_per_job", "cost_per_hour"].find((key) =>
    (sweep.values[key] ?? []).some((value) => value !== null),
  );
}

function currency(sweep: Sweep): string {
  return shorten(String((sweep.values.currency ?? []).find((value) => value !== null) ?? ""), 12);
}

function priced(sweep: Sweep, view: View) {
  const chosen = sweepView(sweep, view);
  const cost = costKey(sweep)!;
  const shown = lines(sweep, { ...chosen, x: "samples_per_second" }, cost);
  const points = shown.flatMap((line) => [...line.points, ...line.others]);
  const front = paretoFront(
    points,
    (point) => at(sweep, cost, point)!,
    (point) => at(sweep, "samples_per_second", point)!,
  );
  return { chosen, cost, shown, points, front };
}

export const sweepCost: Chart<Sweep> = {
  slug: "sweep-cost",
  short: "Cost",
  title: (sweep) =>
    `${upperFirst(column(sweep, costKey(sweep)!).title)} (${currency(sweep)}) against throughput (samples/s)`,
  explain(sweep, view) {
    const { chosen, points, front } = priced(sweep, view);
    return `${chosen.filtered ? `With ${chosen.filtered}. ` : ""}The stepped line is the Pareto front: ${front.length} of ${points.length} points that no other one beats in both.`;
  },
  applies: (sweep) => !!costKey(sweep),
  height: () => 400,
  option(sweep, look, view) {
    const { cost, shown, front, points } = priced(sweep, view);
    const item = (point: number) => ({
      value: [at(sweep, "samples_per_second", point), at(sweep, cost, point)],
      point,
    });
    const most = largest(front.map((point) => at(sweep, cost, point)));
    return {
      ...base(look),
      legend: legend(look),
      grid: {
        left: 8,
        right: 30,
        top: legendHeight(["Pareto front", ...shown.map(lineName)]),
        bottom: 10,
        ...labelsInside,
      },
      tooltip: hover(sweep, look),
      xAxis: {
        ...axis(sweep, look, "samples_per_second", true, true),
        ...logEnds(points.map((point) => at(sweep, "samples_per_second", point))),
      },
      yAxis: {
        ...valueAxis(look, `${column(sweep, cost).title} (${currency(sweep)})`, (value) => number(value)),
        type: most > 0 ? "log" : "value",
        ...logEnds(points.map((point) => at(sweep, cost, point))),
        nameTextStyle: { align: "left", color: look.muted },
      },
      series: [
        {
          type: "line",
          name: "Pareto front",
          color: look.ink,
          symbol: "none",
          itemStyle: { opacity: 0 },
          step: "start",
          silent: true,
          lineStyle: { width: 1.6 },
          data: front.map((point) => item(point).value),
          z: 1,
        },
        ...shown.map((line) => {
          const { color, symbol } = stroke(look, line.index);
          const onFront = new Set(front);
          return {
            type: "scatter",
            name: lineName(line),
            color,
            symbol,
            z: 3,
            data: [...line.points, ...line.others].map((point) => ({
              ...item(point),
              symbolSize: onFront.has(point) ? 13 : 8,
              itemStyle: {
                color: line.isDataSheetAlone ? look.surface : color,
                borderColor: onFront.has(point) ? look.ink : color,
                borderWidth: 1.5,
                opacity: onFront.has(point) ? 1 : 0.75,
              },
            })),
          };
        }),
      ],
    };
  },
  table(sweep, view) {
    const { cost, points, front, chosen } = priced(sweep, view);
    const onFront = new Set(front);
    return {
      columns: [
        { title: chosen.series ? column(sweep, chosen.series).title : "series" },
        { title: "devices", numeric: true },
        { title: "samples/s", numeric: true, show: (value) => number(value as number) },
        {
          title: `${column(sweep, cost).title} (${currency(sweep)})`,
          numeric: true,
          show: (value) => number(value as number),
        },
        { title: "on the Pareto front", show: (value) => (value ? "yes" : "") },
      ],
      rows: points.map((point) => [
        (chosen.series ? sweep.values[chosen.series][point] : sweep.name) as string,
        at(sweep, "devices", point),
        at(sweep, "samples_per_second", point),
        at(sweep, cost, point),
        onFront.has(point),
      ]),
    };
  },
};
