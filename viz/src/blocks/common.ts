// What results of every kind have: headline figures, notes and assumptions.
import type { Block } from "../charts/chart";
import type { Figure, Result } from "../data/report";
import { element } from "./element";
import { tableElement } from "./table";

function card(figure: Figure): HTMLElement {
  const { low_text, high_text } = figure;
  return element("div", { class: "card", "data-key": figure.key },
    element("div", { class: "label" }, figure.label),
    element("div", { class: "value" }, figure.text),
    low_text && high_text ? element("div", { class: "interval" }, `between ${low_text} and ${high_text}`) : null,
    figure.basis ? element("div", { class: "basis" }, figure.basis) : null);
}

export const headline: Block = {
  slug: "headline",
  title: () => "In short",
  applies: (result) => (result.headline?.length ?? 0) > 0,
  draw: (result) => element("div", { class: "cards" }, ...result.headline!.map(card)),
};

export const notes: Block = {
  slug: "notes",
  title: () => "Notes",
  applies: (result) => (result.notes?.length ?? 0) > 0,
  draw: (result) => element("ul", { class: "notes" }, ...result.notes!.map((note) => element("li", {}, note))),
};

export const assumptions: Block = {
  slug: "assumptions",
  title: () => "What this rests on: assumptions, their sources, and what they change",
  applies: (result) => (result.assumptions?.length ?? 0) > 0,
  draw(result: Result) {
    const rows = result.assumptions!;
    const varied = rows.some((row) => row.with_20_percent_less || row.with_20_percent_more);
    const mark = (row: (typeof rows)[number]) => (row.changes_first ? `${row.name} (changes the answer first)` : row.name);
    return tableElement({
      columns: [
        { title: "assumption" }, { title: "value" },
        ...(varied ? [{ title: "answer with 20 % less" }, { title: "answer with 20 % more" }] : []),
        { title: "source" }, { title: "note" },
      ],
      rows: rows.map((row) => [
        mark(row), row.value, ...(varied ? [row.with_20_percent_less ?? null, row.with_20_percent_more ?? null] : []), row.source, row.note || null,
      ]),
    }, "Assumptions");
  },
};
