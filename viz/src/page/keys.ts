// Reads a chart's points by the keyboard: left and right within a series, up and down to another series. The
// hover box shows the point, and a live region gives it to screen readers.
import type { Stage } from "./figure";

interface SeriesOption {
  type: string;
  name?: string;
  silent?: boolean;
  data?: unknown[];
}

export function stepThroughPoints(stage: Stage) {
  let series = 0;
  let point = -1;
  stage.canvas.addEventListener("keydown", (event) => {
    const drawing = stage.drawing();
    if (!drawing) return;
    const all = (drawing.getOption().series ?? []) as SeriesOption[];
    const readable = all
      .map((entry, index) => ({ entry, index }))
      .filter(({ entry }) => !entry.silent && (entry.data?.length ?? 0) > 0);
    if (readable.length === 0) return;
    const moves: Record<string, () => void> = {
      ArrowRight: () => (point += 1),
      ArrowLeft: () => (point -= 1),
      ArrowDown: () => (series = (series + 1) % readable.length),
      ArrowUp: () => (series = (series + readable.length - 1) % readable.length),
      Escape: () => (point = -1),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
    if (event.key === "Escape") return drawing.dispatchAction({ type: "hideTip" });
    const { entry, index } = readable[Math.min(series, readable.length - 1)];
    const last = entry.data!.length - 1;
    point = Math.min(Math.max(point, 0), last);
    drawing.dispatchAction({ type: "showTip", seriesIndex: index, dataIndex: point });
    const box = stage.canvas.querySelector(".hover");
    stage.status.textContent = box
      ? [...box.querySelectorAll("strong, dt, dd")].map((part) => part.textContent).join(", ")
      : `${entry.name ?? ""}, point ${point + 1}`;
  });
  stage.canvas.addEventListener("blur", () => stage.drawing()?.dispatchAction({ type: "hideTip" }));
}
