// Workers that don't wait for each other: what limits them, and how stale their updates are.
import { indices } from "../data/columns";
import type { Pool, Run } from "../data/report";
import { edgeOf } from "../style/look";
import { number, percent, seconds } from "../text/quantity";
import { deviceLabel, shorten } from "../text/shorten";
import type { Chart } from "./chart";
import {
  base,
  below,
  categories,
  categoriesDown,
  figures,
  labelsInside,
  textBeside,
  tooltip,
  valueAxis,
  withRoom,
} from "./parts";

const poolOf = (run: Run): Pool => run.simulated!.pool!;
const hasPool = (run: Run): boolean => !!run.simulated?.pool;

interface Shared {
  name: string;
  share: number;
  isBottleneck: boolean;
}

// The names that the program gives a bottleneck.
function sharedOf(pool: Pool): Shared[] {
  const rows = pool.servers_busy.map(({ name, share }) => ({ full: `the CPU of ${name}`, name, share }));
  const all = [
    { full: "the coordinator", name: "the coordinator", share: pool.coordinator_busy },
    ...rows.map((row) => ({ ...row, name: `CPU of ${deviceLabel(row.name)}` })),
    { full: `link ${pool.busiest_link.name}`, name: pool.busiest_link.name, share: pool.busiest_link.share },
    ...pool.limits
      .filter(({ name }) => name === "the workers")
      .map(({ name, interval_s }) => ({ full: name, name, share: interval_s / pool.interval_s })),
  ];
  return all
    .filter(({ share }) => share > 0)
    .map(({ full, name, share }) => ({ name, share, isBottleneck: full === pool.bottleneck }));
}

export const poolShares: Chart<Run> = {
  slug: "pool-shares",
  short: "What workers share",
  title: (run) => {
    const pool = poolOf(run);
    return `What ${number(pool.workers)} workers share: ${number(pool.updates_per_second)} updates a second, bound by ${shorten(pool.bottleneck, 50)}`;
  },
  explain: (run) =>
    `Workers don't wait for each other: one of them ends a step every ${seconds(poolOf(run).interval_s)}. Bars show which part of this interval each would need if nothing else limited the workers. On average ${number(poolOf(run).waiting_workers)} of ${number(poolOf(run).workers)} workers wait for the coordinator, a server or the messages of others.`,
  applies: hasPool,
  height: (run) => 64 + 34 * sharedOf(poolOf(run)).length,
  option(run, look) {
    const rows = sharedOf(poolOf(run));
    return {
      ...base(look),
      grid: { left: 8, right: 28, top: 8, bottom: 8, ...labelsInside },
      tooltip: tooltip(look, ((item: { dataIndex: number }) =>
        figures(rows[item.dataIndex].name, [
          ["busy", percent(rows[item.dataIndex].share)],
          ["bounds the training", rows[item.dataIndex].isBottleneck ? "yes" : "no"],
        ])) as never),
      xAxis: below({
        ...withRoom(valueAxis(look, "part of the time in which it is busy", (value) => percent(value))),
        min: 0,
        max: 1.25,
      }),
      yAxis: categoriesDown(
        look,
        rows.map(({ name }) => shorten(name, 40)),
      ),
      series: [
        {
          type: "bar",
          barMaxWidth: 18,
          data: rows.map(({ share, isBottleneck }) => ({
            value: share,
            itemStyle: { color: isBottleneck ? look.lines[1] : look.lines[0] },
          })),
          label: textBeside(
            look,
            (row) => percent(rows[row].share) + (rows[row].isBottleneck ? " · the bottleneck" : ""),
          ),
        },
      ],
    };
  },
  table(run) {
    return {
      columns: [
        { title: "shared" },
        { title: "busy", numeric: true, show: (value) => percent(value as number) },
        { title: "bottleneck" },
      ],
      rows: sharedOf(poolOf(run)).map(({ name, share, isBottleneck }) => [name, share, isBottleneck]),
    };
  },
};

export const staleness: Chart<Run> = {
  slug: "staleness",
  short: "Staleness",
  title: (run) =>
    `Staleness: ${number(poolOf(run).staleness.mean)} updates of others in the mean between a read and its update`,
  explain: () =>
    "How many updates of the same variable other workers made between the moment at which a worker read the variable and the moment at which its own update of it took effect.",
  applies: (run) => hasPool(run) && poolOf(run).staleness.updates.length > 0,
  height: () => 280,
  option(run, look) {
    const updates = poolOf(run).staleness.updates;
    const all = updates.reduce((sum, count) => sum + count, 0);
    return {
      ...base(look),
      grid: { left: 8, right: 28, top: 20, bottom: 8, ...labelsInside },
      tooltip: tooltip(look, ((item: { dataIndex: number }) =>
        figures(`staleness ${item.dataIndex}`, [
          ["updates", number(updates[item.dataIndex], 12)],
          ["share", percent(updates[item.dataIndex] / all)],
        ])) as never),
      xAxis: below({
        ...categories(look, indices(updates.length).map(String)),
        name: "staleness",
        axisLabel: { color: look.ink, hideOverlap: true },
        nameTextStyle: { color: look.muted, fontSize: 11 },
      }),
      yAxis: { ...valueAxis(look, "share of updates", (value) => percent(value)), min: 0 },
      series: [
        {
          type: "bar",
          barMaxWidth: 46,
          color: look.lines[0],
          itemStyle: { borderColor: edgeOf(look), borderWidth: 0.5 },
          data: updates.map((count) => count / all),
        },
      ],
    };
  },
  table(run) {
    return {
      columns: [
        { title: "staleness", numeric: true },
        { title: "updates", numeric: true },
      ],
      rows: poolOf(run).staleness.updates.map((count, at) => [at, count]),
    };
  },
};

export const stalenessByWorker: Chart<Run> = {
  slug: "staleness-by-worker",
  short: "Staleness by worker",
  title: () => "Mean staleness of each worker's updates",
  applies: (run) => hasPool(run) && poolOf(run).staleness.mean_by_worker.length > 1,
  height: () => 240,
  option(run, look) {
    const means = poolOf(run).staleness.mean_by_worker;
    return {
      ...base(look),
      grid: { left: 8, right: 28, top: 20, bottom: 8, ...labelsInside },
      tooltip: tooltip(look, ((item: { dataIndex: number }) =>
        figures(`worker ${item.dataIndex}`, [["mean staleness", number(means[item.dataIndex])]])) as never),
      xAxis: below({
        ...categories(look, indices(means.length).map(String)),
        name: "worker",
        axisLabel: { color: look.ink, hideOverlap: true },
        nameTextStyle: { color: look.muted, fontSize: 11 },
      }),
      yAxis: { ...valueAxis(look, "updates of others", (value) => number(value)), min: 0 },
      series: [{ type: "bar", barMaxWidth: 46, color: look.lines[2], data: means }],
    };
  },
  table(run) {
    return {
      columns: [
        { title: "worker", numeric: true },
        { title: "mean staleness", numeric: true, show: (value) => number(value as number) },
      ],
      rows: poolOf(run).staleness.mean_by_worker.map((mean, at) => [at, mean]),
    };
  },
};
