// A look is every colour that a chart uses. Lines also differ in dashes and symbols, so that a chart reads
// without colour.
import { loadsInPrint, loadsOnDark, loadsOnLight, okabeIto } from "./palette";

export type LookName = "light" | "dark" | "print";

export interface Look {
  name: LookName;
  ink: string;
  muted: string;
  rule: string;
  surface: string;
  lines: string[];
  fills: string[]; // For areas, in the order of `lines`.
  loads: string[];
}

const { blue, orange, green, vermillion, purple, sky, yellow } = okabeIto;

const onLight = [blue, vermillion, green, purple, orange, sky, "#4d4d4d", "#8a7a00"];
const onDark = [sky, orange, "#2bbf94", "#e39cc3", yellow, "#ff8a3d", "#c3c9d1", "#b7a1ff"];

export const looks: Record<LookName, Look> = {
  light: {
    name: "light",
    ink: "#1c2530",
    muted: "#5b6673",
    rule: "#dfe4ea",
    surface: "#ffffff",
    lines: onLight,
    fills: onLight,
    loads: loadsOnLight,
  },
  dark: {
    name: "dark",
    ink: "#e8ecf1",
    muted: "#a3afbd",
    rule: "#333d4a",
    surface: "#181d24",
    lines: onDark,
    fills: onDark,
    loads: loadsOnDark,
  },
  print: {
    name: "print",
    ink: "#000000",
    muted: "#333333",
    rule: "#bbbbbb",
    surface: "#ffffff",
    lines: ["#000000", "#5a5a5a", "#8a8a8a", "#2e2e2e", "#747474", "#b4b4b4", "#444444", "#d0d0d0"],
    fills: ["#2a2a2a", "#8e8e8e", "#d2d2d2", "#5c5c5c", "#b4b4b4", "#e6e6e6", "#f6f6f6", "#757575"],
    loads: loadsInPrint,
  },
};

const dashes: (string | number[])[] = [
  "solid",
  [8, 4],
  [2, 3],
  [10, 3, 2, 3],
  [5, 5],
  [14, 4],
  [1, 4],
  [6, 2, 2, 2, 2, 2],
];
const plus = "path://M4 0H6V4H10V6H6V10H4V6H0V4H4Z";
const symbols = [
  "circle",
  "rect",
  "triangle",
  "diamond",
  "path://M0 0H10L5 9Z",
  plus,
  "path://M3 0H7L10 5L7 10H3L0 5Z",
  "path://M5 0L7 5L5 10L3 5Z",
];

export interface Stroke {
  color: string;
  dash: string | number[];
  symbol: string;
}

export function stroke(look: Look, index: number): Stroke {
  const at = index % look.lines.length;
  // On a screen colours and symbols suffice, and dashes are left to what they mean there.
  const dash = look.name === "print" ? dashes[at] : "solid";
  return { color: look.lines[at], dash, symbol: symbols[at] };
}

// A text colour that is legible on a fill, by the relative luminance of WCAG 2.
export function inkOn(fill: string): string {
  const channel = (at: number) => {
    const value = parseInt(fill.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return luminance > 0.3 ? "#10151b" : "#ffffff";
}

// The line between neighbouring areas: on paper the lightest fills need an outline.
export function edgeOf(look: Look): string {
  return look.name === "print" ? look.ink : look.surface;
}

// The kinds of things that take time or memory keep their colour in all charts.
const placeOfKind: Record<string, number> = {
  compute: 0,
  kernel: 0,
  arithmetic: 0,
  activation: 0,
  exposed_communication: 1,
  collective: 1,
  gradient: 1,
  memory: 1,
  input: 2,
  input_ahead: 2,
  row_copy: 2,
  waiting: 6,
  software: 3,
  synchronization: 6,
  gap: 6,
  dispatch: 6,
  workspace: 6,
  message: 4,
  optimizer_slot: 4,
  copy: 3,
  packing: 5,
  sum: 7,
  variable: 3,
  result: 7,
  communication: 5,
  hidden_communication: 5,
  kept_steps: 2,
  lost_steps: 1,
  processes_end: 3,
  restart: 6,
  stall: 4,
};

export function colorOf(look: Look, kind: string): string {
  return look.fills[placeOfKind[kind] ?? 5];
}
