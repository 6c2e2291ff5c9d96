// The page: reads the report from its place in this file, and draws every result in it.
import "../style/page.css";
import { button, element } from "../blocks/element";
import { withComparisons } from "../data/join";
import type { Report } from "../data/report";
import { shorten } from "../text/shorten";
import { section, type Section } from "./section";
import { choose, currentLook, watchLook } from "./theme";

const started = performance.now();

function readReport(): Report | string {
  const text = document.getElementById("report-data")?.textContent ?? "";
  let report: Report;
  try {
    report = JSON.parse(text) as Report;
  } catch (error) {
    return `The report in this file can't be read: ${(error as Error).message}`;
  }
  if (report.format !== "windtunnel report" || !Array.isArray(report.results)) {
    return "This page has no report in it. `windtunnel report FOLDER` puts one there.";
  }
  return report;
}

function header(title: string): HTMLElement {
  const toggle = button("", () => {
    choose(currentLook().name === "dark" ? "light" : "dark");
    label();
  });
  const label = () => {
    const other = currentLook().name === "dark" ? "light" : "dark";
    toggle.textContent = other;
    toggle.title = `Show in ${other} colours`;
  };
  label();
  toggle.id = "look";
  return element(
    "header",
    {},
    element("span", { class: "mark" }, "Windtunnel"),
    element("h1", { title }, shorten(title, 120)),
    toggle,
  );
}

function contents(sections: Section[], titles: string[]): HTMLElement {
  const nav = element("nav", { "aria-label": "Contents" });
  sections.forEach(({ entries }, at) => {
    if (sections.length > 1)
      nav.append(
        element(
          "a",
          { href: `#result-${at + 1}`, class: "result", title: titles[at] },
          shorten(titles[at], 34),
        ),
      );
    nav.append(
      element(
        "ul",
        {},
        ...entries.map(({ id, title }) => element("li", {}, element("a", { href: `#${id}` }, title))),
      ),
    );
  });
  return nav;
}

function draw(report: Report) {
  const results = withComparisons(report);
  document.title = `${shorten(report.title, 80)} – Windtunnel`;
  const sections = results.map(section);
  const main = element("main", { id: "main" }, ...sections.map(({ root }) => root));
  if (results.length === 0) main.append(element("p", { class: "failure" }, "This report has no results."));
  const origin = element(
    "footer",
    {},
    `Windtunnel ${report.version}, constants version ${report.constants_version}. Times of steps are simulated, unless they are called measured.`,
  );
  document.getElementById("page")!.append(
    element("a", { href: "#main", class: "skip" }, "Skip to the results"),
    header(report.title),
    element(
      "div",
      { class: "columns" },
      contents(
        sections,
        results.map(({ name }) => name),
      ),
      main,
    ),
    origin,
  );
  addEventListener("beforeprint", () => sections.forEach((each) => each.drawNow()));
}

watchLook();
const report = readReport();
if (typeof report === "string")
  document.getElementById("page")!.append(element("p", { class: "failure", role: "alert" }, report));
else draw(report);
// How long the script ran until the page stood; tests print it.
document.documentElement.dataset.scriptMs = (performance.now() - started).toFixed(1);
