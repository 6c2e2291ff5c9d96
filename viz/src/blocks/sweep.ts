// Every point of a sweep as a table, and the reasons of those that were not timed.
import type { Block, Table } from "../charts/chart";
import { distinct, indices } from "../data/columns";
import type { Sweep } from "../data/report";
import { isDone, sweepView, titleOf } from "../data/sweep_view";
import { show } from "../text/quantity";
import { words } from "../text/shorten";
import { button, element } from "./element";
import { csv, tableElement } from "./table";
import { download } from "./download";

// All columns, named by their keys, as sweep.csv has them.
export function sweepCsv(sweep: Sweep, points: number[]): string {
  return csv({
    columns: sweep.columns.map(({ key }) => ({ title: key })),
    rows: points.map((point) => sweep.columns.map(({ key }) => sweep.values[key]?.[point] ?? null)),
  });
}

function pointsTable(sweep: Sweep, points: number[]): Table {
  const columns = sweep.columns.filter(({ key }) =>
    (sweep.values[key] ?? []).some((value) => value !== null),
  );
  return {
    columns: columns.map((column) => ({
      title: titleOf(column),
      numeric: column.type !== "text",
      show: (value: unknown) => show(value, column.key, column.unit),
    })),
    rows: points.map((point) => columns.map(({ key }) => sweep.values[key][point])),
  };
}

export const points: Block<Sweep> = {
  slug: "points",
  short: "All points",
  title: () => "All points",
  applies: () => true,
  draw(sweep, view) {
    const chosen = sweepView(sweep, view);
    const all = indices(sweep.points);
    const shown = all.filter((point) => chosen.passes(point));
    if (all.length === 0) return element("p", {}, "The sweep has no points.");
    return element(
      "div",
      {},
      element(
        "div",
        { class: "tools" },
        element(
          "span",
          {},
          shown.length === all.length
            ? `All ${all.length} points.`
            : `${shown.length} of ${all.length} points, with ${chosen.filtered}.`,
        ),
        button("CSV of these", () => download("sweep-filtered.csv", "text/csv", sweepCsv(sweep, shown))),
        button("CSV of all", () => download("sweep.csv", "text/csv", sweepCsv(sweep, all))),
      ),
      tableElement(pointsTable(sweep, shown), "Points of the sweep"),
    );
  },
};

export const infeasible: Block<Sweep> = {
  slug: "infeasible",
  short: "Not possible",
  title: () => "Points that could not be timed, and why",
  applies: (sweep) => indices(sweep.points).some((point) => !isDone(sweep, point)),
  draw(sweep) {
    const failed = indices(sweep.points).filter((point) => !isDone(sweep, point));
    const axes = sweep.columns.filter(({ is_axis }) => is_axis);
    const range = (points: number[], key: string) => {
      const found = distinct(points.map((point) => sweep.values[key][point]));
      return found.length > 6
        ? `${found.length} values`
        : found.map((value) => String(value ?? "–")).join(", ");
    };
    // One line for a reason on a platform, with the values at which it occurs.
    const groups = new Map<string, number[]>();
    for (const point of failed) {
      const key = JSON.stringify([
        sweep.values.outcome[point],
        sweep.values.reason?.[point],
        sweep.values.platform?.[point],
      ]);
      groups.set(key, [...(groups.get(key) ?? []), point]);
    }
    return tableElement(
      {
        columns: [
          { title: "outcome" },
          { title: "points", numeric: true },
          ...axes.map((axis) => ({ title: titleOf(axis) })),
          { title: "reason" },
        ],
        rows: [...groups.values()].map((points) => [
          words(String(sweep.values.outcome[points[0]])),
          points.length,
          ...axes.map(({ key }) => range(points, key)),
          sweep.values.reason?.[points[0]] ?? null,
        ]),
      },
      "Points without a time",
    );
  },
};
