// The loss over the steps, and beside it each metric: two charts from one function, for they differ in what
// they pick.
import type { Run, Training } from "../data/report";
import { number } from "../text/quantity";
import { words } from "../text/shorten";
import { stroke, type Look } from "../style/look";
import type { Chart, Table } from "./chart";
import { base, below, figures, legend, tooltip, valueAxis, labelsInside } from "./parts";

interface Course {
  name: string;
  x: number[];
  y: (number | null)[];
}

function stepsSoFar(epochs: number[]): number[] {
  let sum = 0;
  return epochs.map((steps) => (sum += steps));
}

// The training's own courses, and those of the evaluation after each epoch at the step where it took place.
function courses(training: Training, pick: "loss" | "metrics"): Course[] {
  const { steps, epochs } = training;
  const found: Course[] = [];
  if (steps && pick === "loss") found.push({ name: "loss", x: steps.step, y: steps.loss });
  if (steps && pick === "metrics") {
    for (const [name, y] of Object.entries(steps.metrics ?? {}))
      found.push({ name: words(name), x: steps.step, y });
  }
  const evaluation = epochs?.evaluation;
  if (epochs && evaluation) {
    const x = stepsSoFar(epochs.steps).map((step) => step - 1);
    if (pick === "loss") found.push({ name: "loss of the evaluation", x, y: evaluation.loss });
    else {
      for (const [name, y] of Object.entries(evaluation.metrics ?? {})) {
        found.push({ name: `${words(name)} of the evaluation`, x, y });
      }
    }
  }
  return found.filter((course) => course.y.some((value) => value !== null));
}

function option(found: Course[], look: Look, yName: string) {
  return {
    ...base(look),
    legend: legend(look, { show: found.length > 1 }),
    grid: { left: 8, right: 24, top: found.length > 1 ? 34 : 6, bottom: 8, ...labelsInside },
    tooltip: tooltip(look, ((item: { seriesName: string; value: [number, number] }) =>
      figures(item.seriesName, [
        ["step", number(item.value[0], 9)],
        ["value", number(item.value[1], 7)],
      ])) as never),
    xAxis: below({ ...valueAxis(look, "step", (value) => number(value, 9)), minInterval: 1 }),
    yAxis: {
      ...valueAxis(look, yName, (value) => number(value)),
      scale: true,
      nameTextStyle: { align: "left", color: look.muted },
    },
    series: found.map((course, index) => {
      const { color, dash, symbol } = stroke(look, index);
      return {
        type: "line",
        name: course.name,
        data: course.x.map((x, at) => [x, course.y[at]]),
        color,
        symbol,
        symbolSize: 6,
        showSymbol: course.x.length <= 60,
        lineStyle: { type: dash, width: 2 },
        sampling: "lttb",
      };
    }),
  };
}

function table(found: Course[]): Table {
  return {
    columns: [
      { title: "course" },
      { title: "step", numeric: true },
      { title: "value", numeric: true, show: (v) => number(v as number, 7) },
    ],
    rows: found.flatMap((course) => course.x.map((x, at) => [course.name, x, course.y[at]])),
  };
}

function chart(
  slug: string,
  short: string,
  pick: "loss" | "metrics",
  title: string,
  yName: string,
): Chart<Run> {
  const of = (run: Run) => courses(run.training ?? {}, pick);
  return {
    slug,
    short,
    title: () => title,
    applies: (run) => of(run).length > 0,
    height: () => 260,
    option: (run, look) => option(of(run), look, yName),
    table: (run) => table(of(run)),
  };
}

export const loss = chart("loss", "Loss", "loss", "Loss of the training, by step", "loss");
export const metrics = chart("metrics", "Metrics", "metrics", "Metrics of the training, by step", "metric");
