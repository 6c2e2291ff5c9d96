// A chart on the page: its title, what it says, the drawing, its table and its downloads. The drawing is made
// when it comes near the window, so that a long page opens as fast as a short one.
import { button, element } from "../blocks/element";
import { download } from "../blocks/download";
import { csv, tableElement } from "../blocks/table";
import type { Chart } from "../charts/chart";
import type { Result } from "../data/report";
import type { View } from "../data/view";
import { svg } from "../render/svg";
import { echarts, type Drawing } from "../style/engine";
import { looks } from "../style/look";
import { behaviours } from "./behaviours";
import { controlsElement } from "./controls";
import { currentLook, onLookChange } from "./theme";

export interface FigureOnPage {
  root: HTMLElement;
  redraw(): void;
  drawNow(): void;
}

export interface Stage {
  result: Result;
  view: View;
  canvas: HTMLElement;
  figure: HTMLElement;
  tools: HTMLElement;
  status: HTMLElement;
  drawing(): Drawing | undefined;
  redraw(): void;
}

const nearWindow = "300px";

function pngOf(chart: Chart, result: Result, view: View): Promise<Blob> {
  const drawing = svg(chart, result, looks.light, view);
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth * 2;
      canvas.height = image.naturalHeight * 2;
      canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("the browser made no PNG"))),
        "image/png",
      );
    };
    image.onerror = () => reject(new Error("the browser can't draw this chart's SVG"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing)}`;
  });
}

export function figureOnPage(chart: Chart, result: Result, view: View, id: string): FigureOnPage {
  let drawing: Drawing | undefined;
  const behaviour = behaviours[chart.behaviour ?? "points"];
  const title = element("h3", { id: `${id}-title` });
  const says = element("p", { class: "says" });
  const canvas = element("div", {
    class: "drawing",
    tabindex: "0",
    role: "img",
    "aria-labelledby": `${id}-title`,
    "aria-describedby": `${id}-keys`,
  });
  const status = element("p", { class: "unseen", "aria-live": "polite" });
  const controls = element("div");
  const tools = element(
    "div",
    { class: "tools" },
    button(
      "SVG",
      () => download(`${chart.slug}.svg`, "image/svg+xml", svg(chart, result, looks.light, view)),
      "Download this chart as SVG",
    ),
    button(
      "PNG",
      () => {
        pngOf(chart, result, view).then(
          (blob) => download(`${chart.slug}.png`, "image/png", blob),
          (error: Error) => (status.textContent = error.message),
        );
      },
      "Download this chart as PNG",
    ),
    button(
      "CSV",
      () => download(`${chart.slug}.csv`, "text/csv", csv(chart.table(result, view))),
      "Download the figures as CSV",
    ),
  );
  const behind = element("details", { class: "behind" }, element("summary", {}, "Figures behind this chart"));
  const keys = element("p", { class: "unseen", id: `${id}-keys` }, `Keys: ${behaviour.keys}.`);
  const root = element(
    "figure",
    { class: "chart", id, "data-chart": chart.slug },
    element("div", { class: "head" }, title, tools),
    says,
    controls,
    canvas,
    keys,
    status,
    behind,
  );

  function fillTable() {
    behind.querySelector(".table")?.remove();
    if (behind.open) behind.append(tableElement(chart.table(result, view), chart.title(result, view)));
  }
  function write() {
    title.textContent = chart.title(result, view);
    says.textContent = chart.explain?.(result, view) ?? "";
    says.hidden = !says.textContent;
    const list = chart.controls?.(result, view) ?? [];
    if (list.length) controls.replaceChildren(controlsElement(list, view, redraw));
    canvas.style.height = `${chart.height(result, view)}px`;
  }
  function draw() {
    drawing ??= echarts.init(canvas, null, { renderer: "canvas" });
    drawing.resize();
    drawing.setOption(chart.option(result, currentLook(), view), { notMerge: true });
    root.dataset.drawn = String(Number(root.dataset.drawn ?? 0) + 1);
  }
  function redraw() {
    const focused = (document.activeElement as HTMLElement | null)?.dataset?.control;
    write();
    if (drawing) draw();
    fillTable();
    if (focused) controls.querySelector<HTMLElement>(`[data-control="${CSS.escape(focused)}"]`)?.focus();
  }
  function drawNow() {
    if (drawing) return;
    draw();
    const stage: Stage = {
      result,
      view,
      canvas,
      figure: root,
      tools,
      status,
      drawing: () => drawing,
      redraw,
    };
    behaviour.start(stage);
  }

  write();
  behind.addEventListener("toggle", fillTable);
  onLookChange(() => {
    if (drawing) draw();
  });
  new ResizeObserver(() => drawing?.resize()).observe(canvas);
  const watcher = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      drawNow();
    },
    { rootMargin: nearWindow },
  );
  watcher.observe(canvas);
  return { root, redraw, drawNow };
}
