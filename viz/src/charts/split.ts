// Where the time of a step goes, for each device. Communication that hides behind kernels is a bar of its own
// under the sum, for it takes no time of the step.
import { alike } from "../data/columns";
import type { Run, Split } from "../data/report";
import { colorOf, edgeOf } from "../style/look";
import { percent, seconds } from "../text/quantity";
import { deviceLabel } from "../text/shorten";
import type { Chart } from "./chart";
import { base, below, categoriesDown, figures, labelsInside, legend, tooltip, valueAxis } from "./parts";

const parts = [
  ["compute_s", "compute", "compute"],
  ["exposed_communication_s", "exposed communication", "exposed_communication"],
  ["input_s", "waiting for rows", "input"],
  ["software_s", "the framework's software", "software"],
  ["waiting_s", "waiting for others", "waiting"],
] as const;

const hidden = [
  "hidden_communication_s",
  "hidden communication (behind compute)",
  "hidden_communication",
] as const;

function rows(split: Split) {
  return alike(split.device.length, (row) => [...parts, hidden].map(([key]) => split[key][row]));
}

function label(split: Split, row: { first: number; count: number }): string {
  const name = deviceLabel(split.device[row.first]);
  return row.count === 1 ? name : `${name}\nand ${row.count - 1} alike`;
}

export const split: Chart<Run> = {
  slug: "step-time",
  short: "Step time",
  title: () => "Time of one step on each device, by what it is spent on",
  explain: (run) => run.split_note ?? "",
  applies: (run) => (run.split?.device.length ?? 0) > 0,
  height: (run) => 92 + 40 * rows(run.split!).length,
  option(run, look) {
    const data = run.split!;
    const shown = rows(data);
    const hides = data.hidden_communication_s.some((time, row) => time > 0.01 * data.step_time_s[row]);
    const series = [...parts, ...(hides ? [hidden] : [])].map(([key, name, kind]) => ({
      type: "bar",
      name,
      stack: key === hidden[0] ? "hidden" : "step",
      data: shown.map(({ first }) => data[key][first]),
      color: colorOf(look, kind),
      barWidth: key === hidden[0] ? 6 : 20,
      barGap: "15%",
      itemStyle: { borderColor: edgeOf(look), borderWidth: key === hidden[0] ? 0 : 0.5 },
    }));
    return {
      ...base(look),
      legend: legend(look),
      grid: { left: 8, right: 28, top: 36, bottom: 8, ...labelsInside },
      tooltip: tooltip(look, ((item: { seriesName: string; dataIndex: number; value: number }) => {
        const row = shown[item.dataIndex].first;
        const total = data.step_time_s[row];
        return figures(`${deviceLabel(data.device[row])}: ${item.seriesName}`, [
          ["time", seconds(item.value)],
          ["share of the step", percent(item.value / total)],
          ["step", seconds(total)],
        ]);
      }) as never),
      xAxis: below({ ...valueAxis(look, "simulated time of the step", (value) => seconds(value)), min: 0 }),
      yAxis: categoriesDown(
        look,
        shown.map((row) => label(data, row)),
      ),
      series,
    };
  },
  table(run) {
    const data = run.split!;
    const time = (title: string) => ({
      title,
      numeric: true,
      show: (value: unknown) => seconds(value as number),
    });
    return {
      columns: [{ title: "device" }, time("step"), ...[...parts, hidden].map(([, name]) => time(name))],
      rows: data.device.map((device, row) => [
        device,
        data.step_time_s[row],
        ...[...parts, hidden].map(([key]) => data[key][row]),
      ]),
    };
  },
};
