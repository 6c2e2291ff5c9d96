// One result: its name, its controls, and its parts in the order of the catalog.
import { element } from "../blocks/element";
import { isChart, kinds, type Part } from "../catalog";
import type { Block } from "../charts/chart";
import type { Result } from "../data/report";
import type { View } from "../data/view";
import { shorten } from "../text/shorten";
import { replaceControls } from "./controls";
import { figureOnPage, type FigureOnPage } from "./figure";

export interface Entry {
  id: string;
  title: string;
}

export interface Section {
  root: HTMLElement;
  entries: Entry[];
  drawNow(): void;
}

function unknownKind(result: Result): HTMLElement {
  return element(
    "p",
    { class: "failure" },
    `This page knows no results of the kind "${shorten(String(result.kind), 60)}". A newer report.html draws them.`,
  );
}

interface Drawn {
  root: HTMLElement;
  redraw(): void;
  figure?: FigureOnPage;
}

function block(part: Block, result: Result, view: View, id: string): Drawn {
  const root = element(
    "section",
    { class: "block", id, "data-block": part.slug },
    element("h3", {}, part.title(result)),
  );
  const redraw = () => {
    while (root.childNodes.length > 1) root.lastChild!.remove();
    root.append(part.draw(result, view));
  };
  redraw();
  return { root, redraw };
}

// A part that can't draw its data says so, and the rest of the page stands.
function draw(part: Part, result: Result, view: View, id: string): Drawn {
  try {
    if (!isChart(part)) return block(part, result, view, id);
    const figure = figureOnPage(part, result, view, id);
    return { root: figure.root, redraw: figure.redraw, figure };
  } catch (error) {
    const root = element(
      "p",
      { class: "failure", id },
      `"${part.slug}" can't be drawn from these data: ${(error as Error).message}`,
    );
    return { root, redraw: () => undefined };
  }
}

export function section(result: Result, at: number): Section {
  const kind = kinds[result.kind];
  const id = `result-${at + 1}`;
  const view: View = {};
  const name = element("h2", { id, title: result.name }, shorten(result.name, 90));
  if (!kind)
    return {
      root: element("article", {}, name, unknownKind(result)),
      entries: [{ id, title: shorten(result.name, 40) }],
      drawNow: () => undefined,
    };
  const controls = element("div", { class: "shared" });
  const applying = kind.parts.filter((part) => {
    try {
      return part.applies(result);
    } catch {
      return false;
    }
  });
  const drawn = applying.map((part) => draw(part, result, view, `${id}-${part.slug}`));
  const root = element(
    "article",
    { "data-kind": result.kind },
    element("p", { class: "kind" }, kind.title),
    name,
  );
  function update() {
    const list = kind.controls?.(result, view) ?? [];
    controls.hidden = list.length === 0;
    replaceControls(controls, list, view, () => {
      update();
      for (const part of drawn) part.redraw();
    });
  }
  update();
  const firstChart = drawn.findIndex(({ figure }) => figure);
  drawn.forEach((part, index) => {
    if (index === firstChart && kind.controls) root.append(controls);
    root.append(part.root);
  });
  return {
    root,
    entries: applying.map((part) => ({ id: `${id}-${part.slug}`, title: part.short })),
    drawNow: () => drawn.forEach(({ figure }) => figure?.drawNow()),
  };
}
