// Parts of options that all charts share: text, axes, legends and hover boxes with the same sizes.
import { indices } from "../data/columns";
import type { Look } from "../style/look";
import { shorten } from "../text/shorten";

// Without quotation marks, which ECharts would write into an attribute of SVG as they are.
export const font = "system-ui, Segoe UI, Roboto, Helvetica Neue, Arial, Liberation Sans, sans-serif";

// The rectangle of a grid holds its labels and the names of its axes, too.
export const labelsInside = { outerBoundsMode: "same", outerBoundsContain: "all" };

export function base(look: Look) {
  return {
    animation: false,
    backgroundColor: look.surface,
    textStyle: { fontFamily: font, fontSize: 12, color: look.ink },
    // On paper bars have patterns; a page has tables for screen readers, which say more than a description
    // would.
    aria: { enabled: look.name === "print", label: { enabled: false }, decal: { show: true } },
  };
}

export function axisStyle(look: Look) {
  return {
    axisLine: { lineStyle: { color: look.muted } },
    axisTick: { lineStyle: { color: look.rule } },
    axisLabel: { color: look.muted, fontSize: 11, hideOverlap: true },
    splitLine: { showMaxLine: false, lineStyle: { color: look.rule } },
    minorSplitLine: { show: false },
    nameTextStyle: { color: look.muted, fontSize: 11 },
  };
}

export function valueAxis(look: Look, name: string, format: (value: number) => string) {
  const style = axisStyle(look);
  return {
    type: "value" as const,
    name: shorten(name, 60),
    ...style,
    axisLabel: { ...style.axisLabel, formatter: (value: number) => format(value) },
    axisPointer: { label: { formatter: ({ value }: { value: number }) => format(value) } },
  };
}

// The ends of a logarithmic axis: 1, 2 or 5 times a power of ten just outside the values, for whole decades
// would leave most of the chart empty.
export function logEnds(values: Iterable<number | null | undefined>): { min?: number; max?: number } {
  let least = Infinity;
  let most = 0;
  for (const value of values) {
    if (typeof value !== "number" || value <= 0) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (most === 0) return {};
  const round = (value: number, up: boolean) => {
    const decade = 10 ** Math.floor(Math.log10(value) + 1e-9);
    const steps = up ? [1, 2, 5, 10] : [5, 2, 1];
    const found = steps.find((step) =>
      up ? step * decade >= value * 0.999 : step * decade <= value * 1.001,
    );
    return (found ?? 1) * decade;
  };
  return { min: round(least, false), max: round(most, true) };
}

// The distance of ticks on an axis of bytes, which people count in powers of two.
export function byteTicks(most: number): number {
  const unit = 1024 ** Math.max(0, Math.floor(Math.log2(Math.max(most, 1)) / 10));
  const wanted = most / unit / 5;
  const step =
    [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256].find(
      (candidate) => candidate >= wanted,
    ) ?? 256;
  return step * unit;
}

// Ticks of an axis of seconds from `from` to `to`, which people count in minutes and hours.
export function timeTicks(from: number, to: number): number[] {
  const wanted = (to - from) / 8;
  const [minute, hour] = [60, 3600];
  const rounds = [1, 2, 5, 10, 15, 30];
  const found = [...rounds, ...rounds.map((round) => round * minute), hour].find((step) => step >= wanted);
  const unit = found ? 1 : hour;
  const decade = unit * 10 ** Math.floor(Math.log10(wanted / unit));
  const step =
    found && wanted > 0.5 ? found : decade * ([1, 2, 5].find((each) => each * decade >= wanted) ?? 10);
  const first = Math.ceil(from / step);
  return indices(Math.floor(to / step) - first + 1).map((at) => (first + at) * step);
}

// An axis with ticks, labels and lines at these values alone.
export function ticksAt<Axis extends { axisLabel: object; axisTick: object; splitLine: object }>(
  axis: Axis,
  customValues: number[],
) {
  return {
    ...axis,
    axisTick: { ...axis.axisTick, customValues },
    axisLabel: { ...axis.axisLabel, customValues },
    splitLine: { ...axis.splitLine, customValues },
  };
}

export function sliderStyle(look: Look) {
  return {
    borderColor: look.rule,
    fillerColor: look.name === "dark" ? "rgba(86,180,233,.18)" : "rgba(0,114,178,.12)",
    handleStyle: { color: look.surface, borderColor: look.muted },
    moveHandleStyle: { color: look.muted },
    textStyle: { color: look.muted, fontSize: 11 },
    brushSelect: false,
    showDetail: false,
    show: look.name !== "print",
  };
}

// A slider below an axis of time from 0 to `end`, and the wheel, which show what is between `from` and `to`.
export function timeZoom(look: Look, from: number, to: number, end: number) {
  const shown = {
    xAxisIndex: 0,
    filterMode: "none",
    startValue: from,
    endValue: to,
    minValueSpan: end * 1e-7,
  };
  return [
    { type: "slider", id: "time", bottom: 8, height: 20, ...shown, ...sliderStyle(look) },
    {
      type: "inside",
      id: "wheel",
      zoomOnMouseWheel: "ctrl",
      moveOnMouseMove: true,
      moveOnMouseWheel: false,
      ...shown,
    },
  ];
}

// A value axis whose name stands below it in the middle.
export function below(axis: object, gap = 28) {
  return { ...axis, nameLocation: "middle", nameGap: gap };
}

export function categories(look: Look, data: string[]) {
  const style = axisStyle(look);
  return {
    type: "category" as const,
    data,
    ...style,
    axisTick: { show: false },
    axisLabel: { ...style.axisLabel, color: look.ink, interval: 0, hideOverlap: false, lineHeight: 14 },
    splitLine: { show: false },
  };
}

// Categories from top to bottom, as one reads a list.
export function categoriesDown(look: Look, data: string[]) {
  return { ...categories(look, data), inverse: true };
}

// An axis whose end leaves room for the text beside bars: it is no round number, and has no label.
export function withRoom<Axis extends { axisLabel: object }>(axis: Axis) {
  return { ...axis, axisLabel: { ...axis.axisLabel, showMaxLabel: false } };
}

// A text beside the end of each bar.
export function textBeside(look: Look, text: (at: number) => string) {
  return {
    show: true,
    position: "right",
    color: look.ink,
    fontSize: 11,
    formatter: ({ dataIndex }: { dataIndex: number }) => text(dataIndex),
  };
}

// The height of a legend with these names on a page of usual width. ECharts wraps a legend and leaves its
// chart where it was, so that the room has to be known beforehand.
export function legendHeight(names: string[], width = 860): number {
  let rows = 1;
  let used = 0;
  for (const name of names) {
    const own = 44 + 7 * name.length;
    if (used > 0 && used + own > width) {
      rows += 1;
      used = 0;
    }
    used += own;
  }
  return 12 + 21 * rows;
}

export function legend(look: Look, extra: object = {}) {
  return {
    type: "plain" as const,
    top: 0,
    left: 0,
    right: 0,
    padding: [4, 0],
    itemGap: 16,
    itemWidth: 18,
    itemHeight: 9,
    textStyle: { color: look.ink, fontSize: 12 },
    ...extra,
  };
}

// A hover box made of elements and text nodes: a name in the data can never become markup.
export function figures(title: string, pairs: [string, string][]): HTMLElement {
  const box = document.createElement("div");
  box.className = "hover";
  const head = document.createElement("strong");
  head.textContent = shorten(title, 90);
  box.append(head);
  const list = document.createElement("dl");
  if (pairs.length > 14) list.className = "dense";
  for (const [name, value] of pairs) {
    const term = document.createElement("dt");
    term.textContent = shorten(name, 40);
    const figure = document.createElement("dd");
    figure.textContent = shorten(value, 90);
    list.append(term, figure);
  }
  box.append(list);
  return box;
}

export function tooltip(look: Look, formatter: (item: never) => HTMLElement | string) {
  return {
    trigger: "item" as const,
    confine: true,
    transitionDuration: 0,
    backgroundColor: look.surface,
    borderColor: look.rule,
    padding: 10,
    textStyle: { color: look.ink, fontSize: 12 },
    extraCssText: "max-width: 46rem; box-shadow: 0 4px 18px rgba(0,0,0,.18); overflow: hidden",
    formatter,
  };
}
