// What results of every kind have: headline figures, notes and assumptions.
import type { Block } from "../charts/chart";
import type { Figure, Result } from "../data/report";
import { element } from "./element";
import { tableElement } from "./table";

// The unit is smaller than the number, and stands once for both ends of an interval.
function value({ text }: Figure): HTMLElement {
  const parts = /^([\d.,]+) (\S+)$/.exec(text);
  if (!parts) return element("div", { class: "value" }, text);
  return element("div", { class: "value" }, parts[1], element("span", { class: "unit" }, ` ${parts[2]}`));
}

function card(figure: Figure): HTMLElement {
  const { high_text } = figure;
  const unit = / (\S+)$/.exec(high_text ?? "")?.[0] ?? "";
  const ownUnit = / (\S+)$/.exec(figure.text)?.[0] ?? "";
  const low_text =
    unit && figure.low_text?.endsWith(unit) ? figure.low_text.slice(0, -unit.length) : figure.low_text;
  return element(
    "div",
    { class: "card", "data-key": figure.key },
    element("div", { class: "label" }, figure.label),
    value(figure),
    low_text && high_text
      ? element(
          "div",
          { class: "interval" },
          `${low_text} to ${unit === ownUnit && low_text !== figure.low_text ? high_text.slice(0, -unit.length) : high_text}`,
        )
      : null,
    figure.basis ? element("div", { class: "basis" }, figure.basis) : null,
  );
}

export const headline: Block = {
  slug: "headline",
  short: "In short",
  title: () => "In short",
  applies: (result) => (result.headline?.length ?? 0) > 0,
  draw: (result) => element("div", { class: "cards" }, ...result.headline!.map(card)),
};

export const notes: Block = {
  slug: "notes",
  short: "Notes",
  title: () => "Notes",
  applies: (result) => (result.notes?.length ?? 0) > 0,
  draw: (result) =>
    element("ul", { class: "notes" }, ...result.notes!.map((note) => element("li", {}, note))),
};

export const assumptions: Block = {
  slug: "assumptions",
  short: "Assumptions",
  title: () => "What this rests on: assumptions, their sources, and what they change",
  applies: (result) => (result.assumptions?.length ?? 0) > 0,
  draw(result: Result) {
    const rows = result.assumptions!;
    const varied = rows.some((row) => row.with_20_percent_less || row.with_20_percent_more);
    const mark = (row: (typeof rows)[number]) =>
      row.changes_first ? `${row.name} (changes the answer first)` : row.name;
    return tableElement(
      {
        columns: [
          { title: "assumption" },
          { title: "value" },
          ...(varied ? [{ title: "answer with 20 % less" }, { title: "answer with 20 % more" }] : []),
          { title: "source" },
          { title: "note" },
        ],
        rows: rows.map((row) => [
          mark(row),
          row.value,
          ...(varied ? [row.with_20_percent_less ?? null, row.with_20_percent_more ?? null] : []),
          row.source,
          row.note || null,
        ]),
      },
      "Assumptions",
    );
  },
};
