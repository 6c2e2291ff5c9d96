// Memory of a device: what its peak consists of, and the course over the step against the limit.
import { alike, largest } from "../data/columns";
import type { DeviceMemory, Run } from "../data/report";
import { chosen, type Control, type View } from "../data/view";
import { colorOf, edgeOf } from "../style/look";
import { bytes, number, percent, seconds } from "../text/quantity";
import { deviceLabel, words } from "../text/shorten";
import type { Chart } from "./chart";
import {
  base,
  below,
  byteTicks,
  categoriesDown,
  figures,
  labelsInside,
  legend,
  textBeside,
  tooltip,
  valueAxis,
  withRoom,
} from "./parts";

const order = [
  "variable",
  "optimizer_slot",
  "input",
  "input_ahead",
  "result",
  "activation",
  "gradient",
  "workspace",
  "communication",
];

function kindsOf(devices: DeviceMemory[]): string[] {
  const found = new Set(devices.flatMap((device) => Object.keys(device.bytes_at_peak)));
  return [...order.filter((kind) => found.has(kind)), ...[...found].filter((kind) => !order.includes(kind))];
}

function rows(devices: DeviceMemory[]) {
  return alike(devices.length, (at) => [
    devices[at].bytes_at_peak,
    devices[at].arena_bytes,
    devices[at].limit_bytes,
  ]);
}

function label(device: DeviceMemory, count: number): string {
  return count === 1 ? deviceLabel(device.device) : `${deviceLabel(device.device)}\nand ${count - 1} alike`;
}

function used(device: DeviceMemory): string {
  if (!device.limit_bytes) return bytes(device.arena_bytes);
  const verdict = device.verdict === "fits" ? "" : `, ${words(device.verdict)}`;
  return `${bytes(device.arena_bytes)} · ${percent(device.arena_bytes / device.limit_bytes)} of ${bytes(device.limit_bytes)}${verdict}`;
}

export const memoryPeak: Chart<Run> = {
  slug: "memory-peak",
  short: "Memory at its peak",
  title: () => "Memory of each device at its peak, by what it holds",
  explain: () => "At the right: what the allocator takes, and its share of the limit.",
  applies: (run) => (run.memory?.length ?? 0) > 0,
  height: (run) => 84 + 40 * rows(run.memory!).length,
  option(run, look) {
    const devices = run.memory!;
    const shown = rows(devices);
    const kinds = kindsOf(devices);
    const most = largest(devices.map((device) => device.arena_bytes));
    return {
      ...base(look),
      legend: legend(look),
      grid: { left: 8, right: 28, top: 34, bottom: 8, ...labelsInside },
      tooltip: tooltip(look, ((item: { seriesName: string; dataIndex: number; value: number }) => {
        const device = devices[shown[item.dataIndex].first];
        return figures(`${deviceLabel(device.device)}: ${item.seriesName}`, [
          ["at the peak", bytes(item.value)],
          ["taken by the allocator", used(device)],
        ]);
      }) as never),
      // The labels at the right need room, which a longer axis gives.
      xAxis: below({
        ...withRoom(valueAxis(look, "memory at the peak", (value) => bytes(value, 3))),
        min: 0,
        max: most * 1.6,
        interval: byteTicks(most * 1.6),
      }),
      yAxis: categoriesDown(
        look,
        shown.map(({ first, count }) => label(devices[first], count)),
      ),
      series: kinds.map((kind, index) => ({
        type: "bar",
        stack: "peak",
        name: words(kind),
        color: colorOf(look, kind),
        barWidth: 18,
        itemStyle: { borderColor: edgeOf(look), borderWidth: 0.5 },
        data: shown.map(({ first }) => devices[first].bytes_at_peak[kind] ?? 0),
        label: {
          ...textBeside(look, (row) => used(devices[shown[row].first])),
          show: index === kinds.length - 1,
        },
      })),
    };
  },
  table(run) {
    const devices = run.memory!;
    const kinds = kindsOf(devices);
    const size = (title: string) => ({
      title,
      numeric: true,
      show: (value: unknown) => bytes(value as number),
    });
    return {
      columns: [
        { title: "device" },
        { title: "verdict" },
        size("limit"),
        size("allocator"),
        size("fragmentation"),
        ...kinds.map((kind) => size(words(kind))),
      ],
      rows: devices.map((device) => [
        device.device,
        words(device.verdict),
        device.limit_bytes ?? null,
        device.arena_bytes,
        device.fragmentation_bytes ?? null,
        ...kinds.map((kind) => device.bytes_at_peak[kind] ?? 0),
      ]),
    };
  },
};

function withCourse(run: Run): DeviceMemory[] {
  return (run.memory ?? []).filter((device) => (device.over_step?.position.length ?? 0) > 1);
}

function deviceControl(run: Run): Control {
  const devices = withCourse(run);
  const fullest = devices.reduce((most, device) => (device.arena_bytes > most.arena_bytes ? device : most));
  return {
    key: "memory.device",
    label: "device",
    choices: devices.map((device) => ({ value: device.device, label: deviceLabel(device.device) })),
    initial: fullest.device,
  };
}

function course(run: Run, view: View) {
  const name = chosen(view, deviceControl(run));
  const device = withCourse(run).find((candidate) => candidate.device === name)!;
  const over = device.over_step!;
  return { device, over, x: over.time_s ?? over.position };
}

function peakOf(device: DeviceMemory): number {
  const over = device.over_step!;
  return largest(over.position.map((_, at) => over.bytes.reduce((sum, series) => sum + series[at], 0)));
}

export const memoryCourse: Chart<Run> = {
  slug: "memory-over-step",
  short: "Memory over the step",
  title: (run, view) =>
    `Memory of ${deviceLabel(course(run, view).device.device)} over one step, by what it holds`,
  explain(run, view) {
    const { device } = course(run, view);
    if (!device.limit_bytes) return "";
    const share = peakOf(device) / device.limit_bytes;
    return (
      `The fullest moment takes ${bytes(peakOf(device))}, ${percent(share)} of the limit of ${bytes(device.limit_bytes)}` +
      (share < 0.4 ? "; the limit lies above the chart." : ".")
    );
  },
  applies: (run) => withCourse(run).length > 0,
  controls: (run) => (withCourse(run).length > 1 ? [deviceControl(run)] : []),
  height: () => 320,
  option(run, look, view) {
    const { device, over, x } = course(run, view);
    const format = over.time_s ? seconds : (value: number) => number(value, 9);
    const limit = device.limit_bytes ?? 0;
    const showsLimit = limit > 0 && peakOf(device) / limit >= 0.4;
    const top = (showsLimit ? Math.max(limit, peakOf(device)) : peakOf(device)) * 1.05;
    return {
      ...base(look),
      legend: legend(look, { itemWidth: 12, icon: "rect" }),
      grid: { left: 8, right: 28, top: 34, bottom: 8, ...labelsInside },
      tooltip: {
        ...tooltip(look, ((items: { dataIndex: number }[]) => {
          const at = items[0].dataIndex;
          const held = over.kinds.map((kind, index): [string, string] => [
            words(kind),
            bytes(over.bytes[index][at]),
          ]);
          const sum = over.bytes.reduce((total, series) => total + series[at], 0);
          return figures(format(x[at]), [["sum", bytes(sum)], ...held.reverse()]);
        }) as never),
        trigger: "axis",
      },
      xAxis: below({
        ...valueAxis(look, over.time_s ? "time in the step" : "position in the order of the plan", (value) =>
          format(value),
        ),
        min: 0,
        max: x[x.length - 1],
      }),
      yAxis: {
        ...withRoom(valueAxis(look, "", (value) => bytes(value, 3))),
        min: 0,
        max: top,
        interval: byteTicks(top),
      },
      series: over.kinds.map((kind, index) => ({
        type: "line",
        name: words(kind),
        stack: "memory",
        step: "end",
        symbol: "none",
        color: colorOf(look, kind),
        lineStyle: { width: 0.6, color: edgeOf(look) },
        areaStyle: { opacity: 1 },
        data: over.bytes[index].map((value, at) => [x[at], value]),
        markLine:
          index === 0 && showsLimit
            ? {
                silent: true,
                symbol: "none",
                data: [{ yAxis: limit }],
                lineStyle: { color: look.ink, type: "dashed", width: 1.5 },
                label: { position: "insideStartTop", color: look.ink, formatter: `limit ${bytes(limit)}` },
              }
            : undefined,
      })),
    };
  },
  table(run, view) {
    const { over, x } = course(run, view);
    const format = over.time_s ? seconds : (value: number) => number(value, 9);
    return {
      columns: [
        { title: over.time_s ? "time" : "position", numeric: true, show: (value) => format(value as number) },
        ...over.kinds.map((kind) => ({
          title: words(kind),
          numeric: true,
          show: (value: unknown) => bytes(value as number),
        })),
      ],
      rows: x.map((value, at) => [value, ...over.bytes.map((series) => series[at])]),
    };
  },
};
