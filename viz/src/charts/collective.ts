// A collective over its size, as users of nccl-tests draw it: time and bus bandwidth, a line for each
// algorithm and machine, the bound of the links, and what was measured.
import { distinct, indices } from "../data/columns";
import type { Collective, Schedule } from "../data/report";
import { stroke, type Look } from "../style/look";
import { bytes, number, percent, seconds } from "../text/quantity";
import { shorten, words } from "../text/shorten";
import type { Chart } from "./chart";
import {
  base,
  below,
  categories,
  figures,
  labelsInside,
  legend,
  legendHeight,
  logEnds,
  tooltip,
  valueAxis,
} from "./parts";

interface Axis {
  value: "time_s" | "busbw_gb_per_s";
  bound: "bound_s" | "bound_busbw_gb_per_s";
  name: string;
  limit: string;
  show(value: number | null): string;
}

const time: Axis = {
  value: "time_s",
  bound: "bound_s",
  name: "time",
  limit: "the least time",
  show: (value) => seconds(value),
};
const bandwidth: Axis = {
  value: "busbw_gb_per_s",
  bound: "bound_busbw_gb_per_s",
  name: "bus bandwidth",
  limit: "the most bandwidth",
  show: (value) => `${number(value)} GB/s`,
};

function operation(result: Collective): string {
  return words(result.operation);
}

// Measured points have symbols and no line, which distinguishes them from predictions at first sight.
function measuredSeries(result: Collective, axis: Axis, look: Look) {
  return (result.measured ?? []).map((measured, index) => ({
    type: "scatter",
    name: `measured: ${shorten(measured.name, 40)}`,
    color: look.ink,
    z: 5,
    symbol: ["diamond", "triangle", "rect"][index % 3],
    symbolSize: 9,
    itemStyle: { color: look.surface, borderColor: look.ink, borderWidth: 1.5 },
    data: indices(measured.rows.bytes.length)
      .filter((row) => measured.rows.bytes[row] > 0 && measured.rows[axis.value][row] > 0)
      .map((row) => ({
        value: [measured.rows.bytes[row], measured.rows[axis.value][row]],
        measured: index,
        row,
      })),
  }));
}

function predictedSeries(result: Collective, axis: Axis, look: Look) {
  const { rows } = result;
  const known = new Set<string>();
  return distinct(rows.series).flatMap((name, index): object[] => {
    const own = indices(rows.series.length).filter((row) => rows.series[row] === name && rows.bytes[row] > 0);
    const { color, dash, symbol } = stroke(look, index);
    const bound = own.filter((row) => (rows[axis.bound][row] ?? 0) > 0);
    // Algorithms of one machine mostly have one bound, which is drawn once.
    const course = JSON.stringify(bound.map((row) => rows[axis.bound][row]!.toPrecision(6)));
    const isNew = bound.length > 0 && !known.has(course);
    known.add(course);
    return [
      {
        type: "line",
        name,
        color,
        symbol,
        symbolSize: 7,
        showAllSymbol: own.length <= 40,
        lineStyle: { width: 2.2, type: dash },
        z: 3,
        data: own.map((row) => ({ value: [rows.bytes[row], rows[axis.value][row]], row })),
      },
      ...(isNew
        ? [
            {
              type: "line",
              name: "bound of the links",
              color: look.muted,
              symbol: "none",
              itemStyle: { opacity: 0 },
              silent: true,
              lineStyle: { width: 1.1, type: [1, 3] },
              z: 2,
              data: bound.map((row) => [rows.bytes[row], rows[axis.bound][row]]),
            },
          ]
        : []),
    ];
  });
}

// The sizes that were timed or measured, which are the ticks across.
function sizesOf(result: Collective): number[] {
  const all = [...result.rows.bytes, ...(result.measured ?? []).flatMap(({ rows }) => rows.bytes)];
  return distinct(all)
    .filter((size) => size > 0)
    .sort((a, b) => a - b);
}

function legendNames(result: Collective): string[] {
  return [
    ...distinct(result.rows.series),
    "bound of the links",
    ...(result.measured ?? []).map(({ name }) => `measured: ${shorten(name, 40)}`),
  ];
}

type Item = { data: { row: number; measured?: number }; seriesName: string };

function hover(result: Collective, look: Look) {
  return tooltip(look, (({ data, seriesName }: Item) => {
    if (data.measured !== undefined) {
      const { rows } = result.measured![data.measured];
      return figures(seriesName, [
        ["size", bytes(rows.bytes[data.row])],
        ["measured time", seconds(rows.time_s[data.row])],
        ["measured bus bandwidth", bandwidth.show(rows.busbw_gb_per_s[data.row])],
        ["predicted time", seconds(rows.predicted_s?.[data.row])],
        ["error of the prediction", percent(rows.error?.[data.row])],
      ]);
    }
    const { rows } = result;
    return figures(seriesName, [
      ["size", bytes(rows.bytes[data.row])],
      ["algorithm", words(rows.algorithm[data.row] ?? "–")],
      ["protocol", rows.protocol[data.row] ?? "–"],
      ["time", seconds(rows.time_s[data.row])],
      ["bus bandwidth", bandwidth.show(rows.busbw_gb_per_s[data.row])],
      ["algorithm bandwidth", bandwidth.show(rows.algbw_gb_per_s[data.row])],
      ["bound", seconds(rows.bound_s[data.row])],
      ["bound's share of the time", percent(rows.bound_share[data.row])],
    ]);
  }) as never);
}

function overSize(
  slug: string,
  short: string,
  axis: Axis,
  heading: (result: Collective) => string,
): Chart<Collective> {
  return {
    slug,
    short,
    title: heading,
    explain: () => `Dotted: ${axis.limit} that the links allow.`,
    applies: (result) => (result.rows?.bytes.length ?? 0) > 0,
    height: () => 400,
    option(result, look) {
      const sizes = sizesOf(result);
      return {
        ...base(look),
        legend: legend(look),
        grid: { left: 8, right: 30, top: legendHeight(legendNames(result)), bottom: 10, ...labelsInside },
        tooltip: hover(result, look),
        xAxis: below({
          ...valueAxis(look, "size of the message", (value) => bytes(value, 3)),
          type: "log",
          logBase: 2,
          min: sizes[0],
          max: sizes[sizes.length - 1],
          axisLabel: {
            color: look.muted,
            fontSize: 11,
            hideOverlap: true,
            customValues: sizes,
            formatter: (value: number) => bytes(value, 3),
          },
          axisTick: { customValues: sizes },
        }),
        yAxis: {
          ...valueAxis(look, axis.name, (value) => axis.show(Number(value.toPrecision(3)))),
          type: "log",
          ...logEnds([
            ...result.rows[axis.value],
            ...(axis === bandwidth ? result.rows[axis.bound] : []),
            ...(result.measured ?? []).flatMap(({ rows }) => rows[axis.value]),
          ]),
          nameTextStyle: { align: "left", color: look.muted },
        },
        series: [...predictedSeries(result, axis, look), ...measuredSeries(result, axis, look)],
      };
    },
    table(result) {
      const { rows } = result;
      const cell = (show: (value: number | null) => string) => (value: unknown) =>
        show(value as number | null);
      return {
        columns: [
          { title: "series" },
          { title: "algorithm" },
          { title: "protocol" },
          { title: "size", numeric: true, show: cell(bytes) },
          { title: "time", numeric: true, show: cell(seconds) },
          { title: "bus bandwidth (GB/s)", numeric: true, show: cell(number) },
          { title: "algorithm bandwidth (GB/s)", numeric: true, show: cell(number) },
          { title: "bound", numeric: true, show: cell(seconds) },
          { title: "bound's share", numeric: true, show: cell(percent) },
        ],
        rows: [
          ...indices(rows.bytes.length).map((row) => [
            rows.series[row],
            rows.algorithm[row],
            rows.protocol[row],
            rows.bytes[row],
            rows.time_s[row],
            rows.busbw_gb_per_s[row],
            rows.algbw_gb_per_s[row],
            rows.bound_s[row],
            rows.bound_share[row],
          ]),
          ...(result.measured ?? []).flatMap(({ name, rows: own }) =>
            indices(own.bytes.length).map((row) => [
              `measured: ${name}`,
              null,
              null,
              own.bytes[row],
              own.time_s[row],
              own.busbw_gb_per_s[row],
              own.algbw_gb_per_s[row],
              null,
              null,
            ]),
          ),
        ],
      };
    },
  };
}

export const collectiveTime = overSize(
  "collective-time",
  "Time",
  time,
  (result) => `Time of ${operation(result)} against its size`,
);
export const collectiveBandwidth = overSize(
  "collective-bandwidth",
  "Bus bandwidth",
  bandwidth,
  (result) => `Bus bandwidth of ${operation(result)} against its size (GB/s)`,
);

// The ranks, and behind them what helps: parameter servers, or switches that add.
function membersOf(data: Schedule): string[] {
  return data.members ?? indices(data.ranks).map((rank) => `rank ${rank}`);
}

interface MoveApi {
  coord(value: number[]): number[];
}

function drawMove(schedule: Schedule, move: number, look: Look, api: MoveApi) {
  const { moves } = schedule;
  const [x1, y1] = api.coord([moves.start_us[move], moves.from[move]]);
  const [x2, y2] = api.coord([moves.start_us[move] + moves.duration_us[move], moves.to[move]]);
  const { color, dash } = stroke(look, moves.round[move] % 2);
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const head = (turn: number) => `L${x2 - 6 * Math.cos(angle + turn)} ${y2 - 6 * Math.sin(angle + turn)}`;
  return {
    type: "group",
    children: [
      {
        type: "line",
        shape: { x1, y1, x2, y2 },
        style: { stroke: color, lineWidth: 1.4, lineDash: look.name === "print" ? dash : undefined },
      },
      {
        type: "path",
        shape: { pathData: `M${x2} ${y2}${head(0.4)}M${x2} ${y2}${head(-0.4)}` },
        style: { stroke: color, fill: "none", lineWidth: 1.4 },
      },
    ],
  };
}

export const schedule: Chart<Collective> = {
  slug: "collective-schedule",
  short: "Schedule",
  title: (result) => `Schedule of ${words(result.schedule!.algorithm)}: an arrow for each move between ranks`,
  explain: ({ schedule: data }) =>
    `All moves of ${bytes(data!.bytes)} over ${data!.ranks} ranks, in ${data!.steps} steps; colours alternate from step to step.` +
    (data!.left_out ? ` Not drawn: ${data!.left_out}.` : ""),
  applies: (result) => (result.schedule?.moves.from.length ?? 0) > 0,
  height: (result) => 90 + Math.min(480, Math.max(3, membersOf(result.schedule!).length) * 34),
  option(result, look) {
    const data = result.schedule!;
    const { moves } = data;
    return {
      ...base(look),
      grid: { left: 8, right: 30, top: 12, bottom: 10, ...labelsInside },
      tooltip: tooltip(look, (({ dataIndex: at }: { dataIndex: number }) =>
        figures(`${membersOf(data)[moves.from[at]]} → ${membersOf(data)[moves.to[at]]}`, [
          ["step", String(moves.round[at] + 1)],
          ["size", bytes(moves.bytes[at])],
          ["starts at", seconds(moves.start_us[at] * 1e-6)],
          ["takes", seconds(moves.duration_us[at] * 1e-6)],
        ])) as never),
      xAxis: below({ ...valueAxis(look, "simulated time", (value) => seconds(value * 1e-6)), min: 0 }),
      yAxis: {
        ...categories(
          look,
          membersOf(data).map((name) => shorten(name, 24)),
        ),
        inverse: true,
        axisLabel: { color: look.ink, fontSize: 11, interval: membersOf(data).length > 32 ? "auto" : 0 },
        splitLine: { show: true, lineStyle: { color: look.rule } },
      },
      series: [
        {
          type: "custom",
          data: moves.from.map((rank, at) => [
            moves.start_us[at],
            rank,
            moves.start_us[at] + moves.duration_us[at],
          ]),
          encode: { x: [0, 2], y: 1 },
          renderItem: ((params: { dataIndex: number }, api: MoveApi) =>
            drawMove(data, params.dataIndex, look, api)) as never,
        },
      ],
    };
  },
  table(result) {
    const { moves } = result.schedule!;
    const micro = (title: string) => ({
      title,
      numeric: true,
      show: (value: unknown) => seconds((value as number) * 1e-6),
    });
    return {
      columns: [
        { title: "step", numeric: true },
        { title: "from" },
        { title: "to" },
        { title: "size", numeric: true, show: (value) => bytes(value as number) },
        micro("start (µs)"),
        micro("duration (µs)"),
      ],
      rows: indices(moves.from.length).map((at) => [
        moves.round[at] + 1,
        membersOf(result.schedule!)[moves.from[at]],
        membersOf(result.schedule!)[moves.to[at]],
        moves.bytes[at],
        moves.start_us[at],
        moves.duration_us[at],
      ]),
    };
  },
};
