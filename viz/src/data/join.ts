// Collectives of the same operation are compared in one drawing: their rows and measurements are joined into
// one more result, in which each series says which machine it is of.
import type { Collective, CollectiveRows, Report, Result } from "./report";

function joined(list: Collective[]): Collective {
  const rows = {} as Record<string, unknown[]>;
  for (const key of Object.keys(list[0].rows)) rows[key] = [];
  for (const each of list) {
    for (const key of Object.keys(rows)) {
      const own = each.rows[key as keyof CollectiveRows] as unknown[];
      rows[key].push(
        ...(key === "series" ? own.map((series) => `${each.platform}, ${each.ranks} ranks: ${series}`) : own),
      );
    }
  }
  return {
    kind: "collective",
    format_version: 1,
    name: `${list[0].operation.replaceAll("_", " ")} on ${list.length} machines`,
    platform: "",
    machines: 0,
    operation: list[0].operation,
    ranks: 0,
    rows: rows as unknown as CollectiveRows,
    measured: list.flatMap((each) => each.measured ?? []),
  };
}

export function withComparisons(report: Report): Result[] {
  const byOperation = new Map<string, Collective[]>();
  for (const result of report.results) {
    if (result.kind !== "collective") continue;
    const each = result as Collective;
    byOperation.set(each.operation, [...(byOperation.get(each.operation) ?? []), each]);
  }
  const comparisons = [...byOperation.values()].filter((list) => list.length > 1).map(joined);
  return [...comparisons, ...report.results];
}
