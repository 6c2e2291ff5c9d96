// Puts a report into the built page, as `windtunnel report` does: in place of "{}" in the element "report-
// data", with "<" written as an escape, so that no text in the data can end the element.
import { readFileSync } from "node:fs";

const template = new URL("../dist/report.html", import.meta.url);
const place = '<script type="application/json" id="report-data">{}</script>';

export function pageWith(report) {
  const html = readFileSync(template, "utf8");
  const [before, after, more] = html.split(place);
  if (after === undefined || more !== undefined)
    throw new Error("the template must have one place for a report");
  const data = JSON.stringify(report).replaceAll("<", "\\u003c");
  return before + place.replace("{}", () => data) + after;
}
