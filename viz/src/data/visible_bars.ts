// The bars of a timeline that a window of time shows. Each track keeps its bars in order of time, so that a
// zoom costs a binary search per track and then only the bars in the window. Bars too narrow to be seen apart
// are joined into one, so that a view of the whole step draws at most one bar for each pixel and track.
//
//   index = indexBars(timeline);   visibleBars(index, track, kind, from_us, to_us, microsecondsPerPixel)
//
// Requires: bars of one track don't overlap.
import type { Timeline } from "./report";

export interface BarIndex {
  // tracks[track][kind] lists bars of that kind in order of their start.
  tracks: Map<number, number[]>[];
}

export interface Span {
  from: number;
  to: number;
  bar: number; // The bar, or the longest of those that were joined.
  joined: number;
}

export function indexBars(timeline: Timeline): BarIndex {
  const { bars } = timeline;
  const tracks: Map<number, number[]>[] = timeline.tracks.name.map(() => new Map());
  bars.track.forEach((track, bar) => {
    const kinds = tracks[track];
    const list = kinds.get(bars.kind[bar]);
    if (list) list.push(bar);
    else kinds.set(bars.kind[bar], [bar]);
  });
  for (const kinds of tracks) {
    for (const list of kinds.values()) list.sort((a, b) => bars.start_us[a] - bars.start_us[b]);
  }
  return { tracks };
}

function firstEndingAfter(list: number[], timeline: Timeline, time: number): number {
  const { start_us, duration_us } = timeline.bars;
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start_us[list[middle]] + duration_us[list[middle]] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function visibleBars(
  timeline: Timeline,
  list: number[],
  from: number,
  to: number,
  pixel: number,
): Span[] {
  const { start_us, duration_us } = timeline.bars;
  const spans: Span[] = [];
  for (let at = firstEndingAfter(list, timeline, from); at < list.length; ++at) {
    const bar = list[at];
    const start = start_us[bar];
    if (start >= to) break;
    const end = start + duration_us[bar];
    const last = spans[spans.length - 1];
    if (
      last &&
      end - start < pixel &&
      start - last.to < pixel &&
      (last.joined > 1 || last.to - last.from < pixel)
    ) {
      last.to = end;
      last.joined += 1;
      if (duration_us[bar] > duration_us[last.bar]) last.bar = bar;
    } else {
      spans.push({ from: start, to: end, bar, joined: 1 });
    }
  }
  return spans;
}

// The bar of a track at a time, or -1. `slack` is how far beside a narrow bar still counts as on it.
export function barAt(
  timeline: Timeline,
  index: BarIndex,
  track: number,
  time: number,
  slack: number,
): number {
  const { start_us, duration_us } = timeline.bars;
  let nearest = -1;
  let distance = slack;
  for (const list of index.tracks[track].values()) {
    const first = firstEndingAfter(list, timeline, time - slack);
    for (let at = first; at < list.length && start_us[list[at]] <= time + slack; ++at) {
      const bar = list[at];
      const away = Math.max(0, start_us[bar] - time, time - start_us[bar] - duration_us[bar]);
      if (away <= distance) {
        nearest = bar;
        distance = away;
      }
      if (away === 0) return bar;
    }
  }
  return nearest;
}

// The bars that allowed this bar to start, nearest first.
export function waitedFor(timeline: Timeline, bar: number, most = 64): number[] {
  const chain: number[] = [];
  for (
    let at = timeline.bars.waited_for[bar];
    at >= 0 && chain.length < most;
    at = timeline.bars.waited_for[at]
  ) {
    chain.push(at);
  }
  return chain;
}
