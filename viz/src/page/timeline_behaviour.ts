// The timeline on a page: zoom and move by buttons, keys, wheel and slider, a bar's figures under the
// pointer, a click that keeps its arrows, a double click or Enter that zooms to it, and a search for a kernel
// by name.
import { element } from "../blocks/element";
import { barAt } from "../data/visible_bars";
import { barFigures, barIndex, barName, range, rangeText, shownTracks } from "../charts/timeline";
import { figures } from "../charts/parts";
import type { Run } from "../data/report";
import type { Stage } from "./figure";
import { currentLook } from "./theme";
import { timeWindow } from "./time_window";
import { timeline as chart } from "../charts/timeline";

export function timelineBehaviour(stage: Stage) {
  const { view, canvas, figure, status } = stage;
  const run = stage.result as Run;
  const data = run.timeline!;
  const end = data.step_time_s * 1e6;
  const window = timeWindow(stage, "timeline", end);
  const { zoom, scale, move } = window;
  const place = element("span", { class: "place" });
  const box = element("div", { class: "floating", hidden: "" });
  canvas.after(box);

  function report() {
    place.textContent = rangeText(data, view);
    const words = rangeText(data, view);
    figure.dataset.range = range(data, view).join(" ");
    figure.dataset.bars = words.replaceAll(",", "");
  }
  // Selected and hovered bars change what is drawn but not the window, and so only the series are given anew.
  function refresh() {
    const option = chart.option(run, currentLook(), view) as { series: object[] };
    stage.drawing()?.setOption({ series: option.series }, { replaceMerge: ["series"] });
  }
  function showBar(bar: number) {
    const start = data.bars.start_us[bar];
    const length = data.bars.duration_us[bar];
    view["timeline.selected"] = String(bar);
    zoom(start - length * 2, start + length * 3);
    refresh();
    describe(bar);
  }
  function describe(bar: number) {
    figure.dataset.bar = String(bar);
    status.textContent = [barName(data, bar), ...barFigures(data, bar).flat()].join(", ");
  }
  function barUnder(x: number, y: number): number {
    const drawing = stage.drawing();
    if (!drawing || !drawing.containPixel("grid", [x, y])) return -1;
    const [time, row] = drawing.convertFromPixel("grid", [x, y]) as number[];
    const tracks = shownTracks(data, view);
    const track = tracks[Math.round(row)];
    if (track === undefined) return -1;
    const [from, to] = range(data, view);
    return barAt(data, barIndex(data), track, time, ((to - from) / canvas.clientWidth) * 3);
  }
  function hover(x: number, y: number) {
    const bar = barUnder(x, y);
    if (String(bar) !== (view["timeline.hovered"] ?? "-1")) {
      view["timeline.hovered"] = String(bar);
      requestAnimationFrame(refresh);
    }
    box.hidden = bar < 0;
    if (bar < 0) return;
    box.replaceChildren(figures(barName(data, bar), barFigures(data, bar)));
    const left = Math.min(x + 14, canvas.clientWidth - box.offsetWidth - 8);
    box.style.left = `${canvas.offsetLeft + Math.max(0, left)}px`;
    box.style.top = `${canvas.offsetTop + y + 18}px`;
    describe(bar);
  }

  let found = -1;
  function find(wanted: string) {
    const text = wanted.trim().toLowerCase();
    if (!text) return;
    const { bars } = data;
    const matches = (bar: number) =>
      `${data.names[bars.name[bar]]} ${data.scopes[bars.scope[bar]]}`.toLowerCase().includes(text);
    for (let step = 1; step <= bars.track.length; ++step) {
      const bar = (found + step) % bars.track.length;
      if (bar < 0 || !matches(bar) || !shownTracks(data, view).includes(bars.track[bar])) continue;
      found = bar;
      return showBar(bar);
    }
    status.textContent = `no bar on the shown tracks is called "${wanted}"`;
    place.textContent = status.textContent;
  }

  const search = element("input", {
    type: "search",
    placeholder: "find a kernel",
    "aria-label": "Find a kernel and zoom to it",
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") find(search.value);
  });
  const bar = window.buttons("whole step");
  bar.append(search, place);
  canvas.before(bar);

  const keys: Record<string, () => void> = {
    "+": () => scale(0.5),
    "=": () => scale(0.5),
    "-": () => scale(2),
    "0": () => zoom(0, end),
    ArrowLeft: () => move(-0.25),
    ArrowRight: () => move(0.25),
    Enter: () => {
      const selected = Number(view["timeline.selected"] ?? -1);
      if (selected >= 0) showBar(selected);
    },
    Escape: () => {
      delete view["timeline.selected"];
      refresh();
    },
  };
  canvas.addEventListener("keydown", (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  const drawing = stage.drawing()!;
  drawing.on("finished", report);
  const pointer = drawing.getZr();
  pointer.on("mousemove", (event) => hover(event.offsetX, event.offsetY));
  pointer.on("globalout", () => hover(-1, -1));
  pointer.on("click", (event) => {
    view["timeline.selected"] = String(barUnder(event.offsetX, event.offsetY));
    refresh();
  });
  pointer.on("dblclick", (event) => {
    const under = barUnder(event.offsetX, event.offsetY);
    if (under >= 0) showBar(under);
  });
  report();
}
