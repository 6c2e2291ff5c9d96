// The course of a job through its failures, as parts on one axis of time:
//
//   attempt 1                                       attempt 2
//   |-- kept steps --|-- lost --|- end -|- restart -|-- kept steps ...
//                               ^ a worker is killed
//
// and, for a job of many attempts, what can be drawn of it: parts too narrow to be seen apart are joined into
// cells, which say how much time each kind of part takes in them, and failures too near to each other into
// groups. So there are never more of either than the drawing has pixels.
import type { Attempt, Failures } from "./report";

export const partKinds = ["kept_steps", "lost_steps", "processes_end", "restart"] as const;
export type PartKind = (typeof partKinds)[number];

export interface Part {
  kind: string;
  from: number;
  to: number;
  at: number; // Its place among the attempts, or among the stalls.
}

// Where the steps begin that are lost. Steps of one attempt are taken for equally long; a step that was cut off
// belongs to none of them and is lost with them.
export function lossBegins({ begin_s, stop_s, first_step, end_step, kept_steps, failure }: Attempt): number {
  if (!failure) return stop_s;
  const share = end_step > first_step ? (kept_steps - first_step) / (end_step - first_step) : 0;
  return begin_s + (stop_s - begin_s) * Math.min(Math.max(share, 0), 1);
}

const courses = new WeakMap<Failures, Part[]>();

// All parts in the order of time; they don't overlap.
export function partsOf(failures: Failures): Part[] {
  let parts = courses.get(failures);
  if (parts) return parts;
  parts = [];
  failures.attempts.forEach((attempt, at) => {
    const dates = [
      attempt.begin_s,
      lossBegins(attempt),
      attempt.stop_s,
      attempt.end_s ?? attempt.stop_s,
      failures.attempts[at + 1]?.begin_s ?? attempt.end_s ?? attempt.stop_s,
    ];
    partKinds.forEach((kind, place) => {
      const [from, to] = [dates[place], dates[place + 1]];
      if (to > from) parts!.push({ kind, from, to, at });
    });
  });
  courses.set(failures, parts);
  return parts;
}

export function stallsOf(failures: Failures): Part[] {
  return failures.stalls.map(({ begin_s, end_s }, at) => ({ kind: "stall", from: begin_s, to: end_s, at }));
}

// When the last process ends. A job that is not complete may be left by all of them earlier than it is given up.
export function endOf(failures: Failures): number {
  const last = failures.attempts[failures.attempts.length - 1];
  return Math.max(failures.end_s, last?.end_s ?? 0, last?.stop_s ?? 0);
}

// One part, or several narrow ones that follow each other.
export interface Cell {
  from: number;
  to: number;
  first: number;
  last: number;
  time: Map<string, number>; // Of each kind of part that is in it.
}

// The parts of which something is between `from` and `to`. Those shorter than `narrow` are joined.
export function cellsOf(parts: Part[], from: number, to: number, narrow: number): Cell[] {
  const cells: Cell[] = [];
  let joined: Cell | undefined;
  for (const part of parts) {
    if (part.to <= from || part.from >= to) continue;
    const takes = part.to - part.from;
    if (joined && (takes >= narrow || part.from - joined.from >= narrow)) joined = undefined;
    if (joined) {
      joined.to = part.to;
      joined.last = part.at;
      joined.time.set(part.kind, (joined.time.get(part.kind) ?? 0) + takes);
      continue;
    }
    const time = new Map([[part.kind, takes]]);
    const cell = { from: part.from, to: part.to, first: part.at, last: part.at, time };
    cells.push(cell);
    if (takes < narrow) joined = cell;
  }
  return cells;
}

export function isJoined(cell: Cell): boolean {
  return cell.first !== cell.last || cell.time.size > 1;
}

export interface FailureMark {
  time: number;
  kind: string;
  task: string;
  attempt: number; // -1: a stall, which ended no attempt.
}

export function marksOf({ attempts, stalls }: Failures): FailureMark[] {
  const marks = [
    ...attempts.flatMap(({ failure, task, stop_s }, attempt) =>
      failure ? [{ time: stop_s, kind: failure, task: task ?? "", attempt }] : [],
    ),
    ...stalls.map(({ failure, task, begin_s }) => ({ time: begin_s, kind: failure, task, attempt: -1 })),
  ];
  return marks.sort((a, b) => a.time - b.time);
}

// Failures from `from` to `to`, those together that are nearer to the first of their group than `narrow`.
export function groupsOf(marks: FailureMark[], from: number, to: number, narrow: number): FailureMark[][] {
  const groups: FailureMark[][] = [];
  for (const mark of marks) {
    if (mark.time < from || mark.time > to) continue;
    const group = groups[groups.length - 1];
    if (group && mark.time - group[0].time < narrow) group.push(mark);
    else groups.push([mark]);
  }
  return groups;
}

export function counts(kinds: Iterable<string>): [string, number][] {
  const found = new Map<string, number>();
  for (const kind of kinds) found.set(kind, (found.get(kind) ?? 0) + 1);
  return [...found];
}

// Labels that stand right of their marks, in `levels` lines above each other. A mark has a stem down to the axis,
// so that a label may not reach over a mark of its own line or a higher one. -1: there is no room, as for a label
// of infinite width.
export function labelLevels(places: { x: number; width: number }[], levels: number): number[] {
  const nearest = Array<number>(levels).fill(Infinity); // The next mark with at least this height.
  const chosen = places.map(() => -1);
  for (let at = places.length - 1; at >= 0; --at) {
    const { x, width } = places[at];
    const level = Number.isFinite(width) ? nearest.findIndex((next) => x + width <= next) : -1;
    chosen[at] = level;
    for (let below = 0; below <= Math.max(level, 0); ++below) nearest[below] = Math.min(nearest[below], x);
  }
  return chosen;
}
