// What bounds the step: the kernels that take its time, and what each change of the machine would bring.
import { indices } from "../data/columns";
import type { Explanation, Run } from "../data/report";
import { colorOf, edgeOf } from "../style/look";
import { number, percent, seconds, signedPercent } from "../text/quantity";
import { shorten, words } from "../text/shorten";
import type { Chart } from "./chart";
import {
  base,
  below,
  categoriesDown,
  figures,
  labelsInside,
  legend,
  textBeside,
  tooltip,
  valueAxis,
  withRoom,
} from "./parts";

// The first row is the step as it is; the others are changes of it.
function changesOf(explanation: Explanation): number[] {
  return indices(explanation.changes?.change.length ?? 0).slice(1);
}

export const changes: Chart<Run> = {
  slug: "what-would-help",
  short: "What would help",
  title: () => "What would help: gain in samples per second of each change",
  explain: () => "Each change is simulated alone, with all else as it is.",
  applies: (run) => !!run.explanation && changesOf(run.explanation).length > 0,
  height: (run) => 64 + 34 * changesOf(run.explanation!).length,
  option(run, look) {
    const data = run.explanation!.changes!;
    const shown = changesOf(run.explanation!);
    const gains = shown.map((at) => data.gain[at] ?? 0);
    const reach = Math.max(0.01, ...gains);
    return {
      ...base(look),
      grid: { left: 8, right: 28, top: 8, bottom: 8, ...labelsInside },
      tooltip: tooltip(look, ((item: { dataIndex: number }) => {
        const at = shown[item.dataIndex];
        if (data.why_not[at]) return figures(data.change[at], [["not simulated", data.why_not[at]!]]);
        return figures(data.change[at], [
          ["gain", signedPercent(data.gain[at])],
          ["throughput", `${number(data.samples_per_second[at])} samples/s`],
          ["step", seconds(data.step_time_s[at])],
        ]);
      }) as never),
      xAxis: below({
        ...withRoom(valueAxis(look, "gain in samples per second", (value) => percent(value))),
        max: reach * 1.25,
        min: Math.min(0, ...gains),
      }),
      yAxis: categoriesDown(
        look,
        shown.map((at) => shorten(data.change[at], 40)),
      ),
      series: [
        {
          type: "bar",
          barMaxWidth: 18,
          color: look.lines[0],
          data: gains,
          label: textBeside(look, (row) => {
            const at = shown[row];
            return data.why_not[at] ? shorten(data.why_not[at]!, 70) : signedPercent(data.gain[at]);
          }),
        },
      ],
    };
  },
  table(run) {
    const data = run.explanation!.changes!;
    return {
      columns: [
        { title: "change" },
        { title: "gain", numeric: true, show: (value) => signedPercent(value as number | null) },
        { title: "samples/s", numeric: true, show: (value) => number(value as number | null) },
        { title: "step", numeric: true, show: (value) => seconds(value as number | null) },
        { title: "why not" },
      ],
      rows: indices(data.change.length).map((at) => [
        data.change[at],
        data.gain[at],
        data.samples_per_second[at],
        data.step_time_s[at],
        data.why_not[at],
      ]),
    };
  },
};

const mostKernels = 12;
const reasons = [
  ["arithmetic_share", "arithmetic", "arithmetic"],
  ["memory_share", "memory", "memory"],
  ["gap_share", "gaps between launches", "gap"],
] as const;

export const kernels: Chart<Run> = {
  slug: "kernels",
  short: "Kernels",
  title: () => "Time in kernels of one device, by what bounds them",
  explain: (run) => {
    const count = run.explanation!.kernels!.kernel.length;
    return count > mostKernels ? `The ${mostKernels} kinds of kernels that take longest, of ${count}.` : "";
  },
  applies: (run) => (run.explanation?.kernels?.kernel.length ?? 0) > 0,
  height: (run) => 92 + 26 * Math.min(mostKernels, run.explanation!.kernels!.kernel.length),
  option(run, look) {
    const data = run.explanation!.kernels!;
    const shown = indices(data.kernel.length)
      .sort((a, b) => data.time_s[b] - data.time_s[a])
      .slice(0, mostKernels);
    return {
      ...base(look),
      legend: legend(look),
      grid: { left: 8, right: 28, top: 34, bottom: 8, ...labelsInside },
      tooltip: tooltip(look, ((item: { dataIndex: number }) => {
        const at = shown[item.dataIndex];
        return figures(words(data.kernel[at]), [
          ["time", seconds(data.time_s[at])],
          ["runs", number(data.runs[at])],
          ...reasons.map(([key, name]): [string, string] => [name, percent(data[key][at])]),
        ]);
      }) as never),
      xAxis: below({
        ...valueAxis(look, "simulated time in one step", (value) => seconds(value, 3)),
        min: 0,
      }),
      yAxis: categoriesDown(
        look,
        shown.map((at) => shorten(words(data.kernel[at]), 32)),
      ),
      series: reasons.map(([key, name, kind]) => ({
        type: "bar",
        stack: "kernel",
        name,
        color: colorOf(look, kind),
        barMaxWidth: 16,
        itemStyle: { borderColor: edgeOf(look), borderWidth: 0.5 },
        data: shown.map((at) => data.time_s[at] * data[key][at]),
      })),
    };
  },
  table(run) {
    const data = run.explanation!.kernels!;
    return {
      columns: [
        { title: "kernel" },
        { title: "runs", numeric: true },
        { title: "time", numeric: true, show: (value) => seconds(value as number) },
        ...reasons.map(([, name]) => ({
          title: name,
          numeric: true,
          show: (value: unknown) => percent(value as number),
        })),
      ],
      rows: indices(data.kernel.length).map((at) => [
        data.kernel[at],
        data.runs[at],
        data.time_s[at],
        ...reasons.map(([key]) => data[key][at]),
      ]),
    };
  },
};
