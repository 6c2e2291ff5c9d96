// Small questions to columns of values.

export function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}

// The largest value. Math.max(...values) would put every value on the stack, which a long column exceeds.
export function largest(values: Iterable<number | null | undefined>): number {
  let most = 0;
  for (const value of values) if (typeof value === "number" && value > most) most = value;
  return most;
}

export function indices(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

// Rows that show the same figures, together: a machine of 256 equal devices is one bar and not 256.
export interface Alike {
  first: number;
  count: number;
}

export function alike(length: number, figures: (row: number) => unknown): Alike[] {
  const groups = new Map<string, Alike>();
  for (let row = 0; row < length; ++row) {
    const key = JSON.stringify(figures(row));
    const group = groups.get(key);
    if (group) group.count += 1;
    else groups.set(key, { first: row, count: 1 });
  }
  return [...groups.values()];
}
