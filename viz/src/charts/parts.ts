// Parts of options that all charts share: text, axes, legends and hover boxes with the same sizes.
import type { Look } from "../style/look";

// Without quotation marks, which ECharts would write into an attribute of SVG as they are.
export const font = "system-ui, Segoe UI, Roboto, Helvetica Neue, Arial, Liberation Sans, sans-serif";

// The rectangle of a grid holds its labels and the names of its axes, too.
export const labelsInside = { outerBoundsMode: "same", outerBoundsContain: "all" };

export function base(look: Look) {
  return {
    animation: false,
    backgroundColor: look.surface,
    textStyle: { fontFamily: font, fontSize: 12, color: look.ink },
    aria: { enabled: false, decal: { show: look.name === "print" } },
  };
}

export function axisStyle(look: Look) {
  return {
    axisLine: { lineStyle: { color: look.muted } },
    axisTick: { lineStyle: { color: look.rule } },
    axisLabel: { color: look.muted, fontSize: 11, hideOverlap: true },
    splitLine: { lineStyle: { color: look.rule } },
    minorSplitLine: { show: false },
    nameTextStyle: { color: look.muted, fontSize: 11 },
  };
}

export function valueAxis(look: Look, name: string, format: (value: number) => string) {
  const style = axisStyle(look);
  return {
    type: "value" as const,
    name,
    ...style,
    axisLabel: { ...style.axisLabel, formatter: (value: number) => format(value) },
    axisPointer: { label: { formatter: ({ value }: { value: number }) => format(value) } },
  };
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
    axisLabel: { ...style.axisLabel, color: look.ink, interval: 0, hideOverlap: false },
    splitLine: { show: false },
  };
}

export function legend(look: Look, extra: object = {}) {
  return {
    type: "scroll" as const,
    top: 0,
    left: 0,
    right: 0,
    itemGap: 16,
    itemWidth: 18,
    itemHeight: 9,
    textStyle: { color: look.ink, fontSize: 12 },
    pageTextStyle: { color: look.muted },
    pageIconColor: look.ink,
    pageIconInactiveColor: look.rule,
    ...extra,
  };
}

// A hover box made of elements and text nodes: a name in the data can never become markup.
export function figures(title: string, pairs: [string, string][]): HTMLElement {
  const box = document.createElement("div");
  box.className = "hover";
  const head = document.createElement("strong");
  head.textContent = title;
  box.append(head);
  const list = document.createElement("dl");
  if (pairs.length > 14) list.className = "dense";
  for (const [name, value] of pairs) {
    const term = document.createElement("dt");
    term.textContent = name;
    const figure = document.createElement("dd");
    figure.textContent = value;
    list.append(term, figure);
  }
  box.append(list);
  return box;
}

export function tooltip(look: Look, formatter: (item: never) => HTMLElement | string) {
  return {
    trigger: "item" as const,
    confine: true,
    backgroundColor: look.surface,
    borderColor: look.rule,
    padding: 10,
    textStyle: { color: look.ink, fontSize: 12 },
    extraCssText: "max-width: 46rem; box-shadow: 0 4px 18px rgba(0,0,0,.18)",
    formatter,
  };
}
