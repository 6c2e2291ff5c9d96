// Each collective of a step, its time against the bound of the links, longest first.
import { indices } from "../data/columns";
import type { Collectives, Run } from "../data/report";
import { colorOf } from "../style/look";
import { bytes, percent, seconds } from "../text/quantity";
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

const mostBars = 24;

function longest(data: Collectives): number[] {
  return indices(data.name.length)
    .sort((a, b) => data.time_s[b] - data.time_s[a])
    .slice(0, mostBars);
}

export const collectives: Chart<Run> = {
  slug: "collectives",
  short: "Collectives",
  title: () => "Time of each collective, beside the least that the links allow",
  explain: (run) =>
    (run.collectives!.name.length > mostBars
      ? `The ${mostBars} longest of ${run.collectives!.name.length}. `
      : "") + "At the right: the bound's share of the time, where a bound is known.",
  applies: (run) => (run.collectives?.name.length ?? 0) > 0,
  height: (run) => 92 + 46 * longest(run.collectives!).length,
  option(run, look) {
    const data = run.collectives!;
    const shown = longest(data);
    const most = data.time_s[shown[0]];
    const share = (at: number) =>
      data.bound_share[at] === null
        ? "no bound known"
        : `${percent(data.bound_share[at])} of the time is the bound`;
    return {
      ...base(look),
      legend: legend(look),
      grid: { left: 8, right: 28, top: 34, bottom: 8, ...labelsInside },
      tooltip: tooltip(look, ((item: { dataIndex: number }) => {
        const at = shown[item.dataIndex];
        return figures(shorten(data.name[at], 80), [
          ["algorithm", words(data.algorithm[at] ?? "–")],
          ["protocol", data.protocol[at] ?? "–"],
          ["size", bytes(data.bytes[at])],
          ["ranks", String(data.ranks[at] ?? "–")],
          ["time", seconds(data.time_s[at])],
          ["of which exposed", seconds(data.exposed_s[at])],
          ["bound", seconds(data.bound_s[at])],
          ["bound's share", percent(data.bound_share[at])],
        ]);
      }) as never),
      xAxis: below({
        ...withRoom(valueAxis(look, "simulated time", (value) => seconds(value, 3))),
        min: 0,
        max: most * 1.35,
      }),
      yAxis: categoriesDown(
        look,
        shown.map(
          (at) =>
            `${shorten(data.name[at], 30)}\n${bytes(data.bytes[at], 3)}${data.algorithm[at] ? ", " + words(data.algorithm[at]!) : ""}`,
        ),
      ),
      series: [
        {
          type: "bar",
          name: "time",
          color: colorOf(look, "collective"),
          barMaxWidth: 14,
          barGap: "10%",
          data: shown.map((at) => data.time_s[at]),
          label: textBeside(look, (row) => share(shown[row])),
        },
        {
          type: "bar",
          name: "bound of the links",
          color: colorOf(look, "hidden_communication"),
          barMaxWidth: 8,
          data: shown.map((at) => data.bound_s[at]),
        },
      ],
    };
  },
  table(run) {
    const data = run.collectives!;
    const time = (title: string) => ({
      title,
      numeric: true,
      show: (value: unknown) => seconds(value as number | null),
    });
    return {
      columns: [
        { title: "collective" },
        { title: "algorithm" },
        { title: "protocol" },
        { title: "size", numeric: true, show: (value) => bytes(value as number) },
        { title: "ranks", numeric: true },
        time("time"),
        time("exposed"),
        time("bound"),
        { title: "bound's share", numeric: true, show: (value) => percent(value as number | null) },
      ],
      rows: indices(data.name.length).map((at) => [
        data.name[at],
        data.algorithm[at],
        data.protocol[at],
        data.bytes[at],
        data.ranks[at],
        data.time_s[at],
        data.exposed_s[at],
        data.bound_s[at],
        data.bound_share[at],
      ]),
    };
  },
};
