// Zoom and move of a drawing whose axis runs from 0 to `end`, by buttons and keys; slider and wheel are parts of
// the drawing (charts/parts.ts: timeZoom). What is shown is kept in the view, under the name of the drawing.
import { button, element } from "../blocks/element";
import { shownWindow } from "../data/view";
import type { Stage } from "./figure";

export interface TimeWindow {
  zoom(from: number, to: number): void;
  scale(factor: number): void;
  move(share: number): void;
  buttons(whole: string): HTMLElement;
}

export function timeWindow(stage: Stage, name: string, end: number): TimeWindow {
  const { view } = stage;
  const drawing = stage.drawing()!;
  const shown = () => shownWindow(view, name, end);
  function zoom(from: number, to: number) {
    const width = Math.min(Math.max(to - from, end * 1e-7), end);
    const start = Math.min(Math.max(from, 0), end - width);
    drawing.dispatchAction({
      type: "dataZoom",
      dataZoomId: "time",
      startValue: start,
      endValue: start + width,
    });
  }
  function scale(factor: number) {
    const [from, to] = shown();
    const middle = (from + to) / 2;
    zoom(middle - ((to - from) * factor) / 2, middle + ((to - from) * factor) / 2);
  }
  function move(share: number) {
    const [from, to] = shown();
    zoom(from + share * (to - from), to + share * (to - from));
  }
  drawing.on("datazoom", () => {
    const zooms = drawing.getOption().dataZoom as { startValue: number; endValue: number }[];
    view[`${name}.from`] = String(zooms[0].startValue);
    view[`${name}.to`] = String(zooms[0].endValue);
  });
  return {
    zoom,
    scale,
    move,
    buttons: (whole) =>
      element(
        "div",
        { class: "tools zoom" },
        button("−", () => scale(2), "Zoom out"),
        button("+", () => scale(0.5), "Zoom in"),
        button("◀", () => move(-0.5), "Earlier"),
        button("▶", () => move(0.5), "Later"),
        button(whole, () => zoom(0, end), `Show the ${whole}`),
      ),
  };
}
