// A chart is a picture of one idea. It is a pure function of a result, a look and a view (what the reader
// chose), so that the page and the program that renders SVG draw the same.
//
// To add a chart, write a file that exports a Chart and add a row to the table of its kind in catalog.ts. The
// page then gives it a title, a place in the contents, a table, downloads and keys; render.js gives it a
// file.
import type { EChartsCoreOption } from "echarts/core";
import type { Result } from "../data/report";
import type { Control, View } from "../data/view";
import type { Look } from "../style/look";

export interface TableColumn {
  title: string;
  numeric?: boolean;
  show?: (value: unknown) => string;
}

// The figures behind a chart. Cells keep their full precision; `show` gives them digits for people.
export interface Table {
  columns: TableColumn[];
  rows: (string | number | boolean | null)[][];
}

export interface Chart<R extends Result = Result> {
  slug: string;
  short: string; // Its name in the contents list.
  title(result: R, view: View): string;
  explain?(result: R, view: View): string;
  applies(result: R): boolean;
  controls?(result: R, view: View): Control[];
  height(result: R, view: View): number;
  option(result: R, look: Look, view: View): EChartsCoreOption;
  table(result: R, view: View): Table;
  // A behaviour that only a page has, such as zooming to what was clicked; see page/behaviours.ts.
  behaviour?: "timeline" | "failures";
}

// Something that is text or a table and no picture: headline figures, assumptions.
export interface Block<R extends Result = Result> {
  slug: string;
  short: string; // Its name in the contents list.
  title(result: R): string;
  applies(result: R): boolean;
  draw(result: R, view: View): HTMLElement;
}
