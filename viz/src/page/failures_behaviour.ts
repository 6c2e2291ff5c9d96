// The course of a job on a page: its parts are read by keys like the points of other charts, and what a zoom
// shows is joined anew, so that parts come apart that were too narrow to be seen.
import { jobCourse } from "../charts/failures";
import { endOf } from "../data/failure_course";
import type { Run } from "../data/report";
import type { Stage } from "./figure";
import { stepThroughPoints } from "./keys";
import { currentLook } from "./theme";
import { timeWindow } from "./time_window";

export function failuresBehaviour(stage: Stage) {
  const run = stage.result as Run;
  const end = endOf(run.failures!);
  const { zoom, scale, buttons } = timeWindow(stage, "failures", end);
  stepThroughPoints(stage);
  stage.canvas.before(buttons("whole job"));

  function refresh() {
    const option = jobCourse.option(run, currentLook(), stage.view) as { series: object[]; xAxis: object };
    stage.drawing()?.setOption({ series: option.series, xAxis: option.xAxis }, { replaceMerge: ["series"] });
  }
  let isComing = false;
  stage.drawing()!.on("datazoom", () => {
    if (isComing) return;
    isComing = true;
    requestAnimationFrame(() => {
      isComing = false;
      refresh();
    });
  });

  const keys: Record<string, () => void> = {
    "+": () => scale(0.5),
    "=": () => scale(0.5),
    "-": () => scale(2),
    "0": () => zoom(0, end),
  };
  stage.canvas.addEventListener("keydown", (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
