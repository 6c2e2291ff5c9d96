// What is drawn of each kind of result, in the order of the page. This table is the only place that a new
// chart or block has to be added to, after its file.
import * as common from "./blocks/common";
import * as recommendationBlocks from "./blocks/recommendation";
import * as runBlocks from "./blocks/run";
import * as sweepBlocks from "./blocks/sweep";
import type { Block, Chart } from "./charts/chart";
import { collectiveBandwidth, collectiveTime, schedule } from "./charts/collective";
import { collectives } from "./charts/collectives";
import { changes, kernels } from "./charts/explanation";
import { jobCourse } from "./charts/failures";
import { loss, metrics } from "./charts/loss";
import { machine } from "./charts/machine";
import { memoryCourse, memoryPeak } from "./charts/memory";
import { poolShares, staleness, stalenessByWorker } from "./charts/pool";
import { reached, sizes } from "./charts/recommendation";
import { split } from "./charts/split";
import { sweepCost, sweepEfficiency, sweepFigure } from "./charts/sweep";
import { timeline } from "./charts/timeline";
import type { Result, Sweep } from "./data/report";
import { sweepControls } from "./data/sweep_view";
import type { Control, View } from "./data/view";

export type Part = Chart | Block;

export interface Kind {
  title: string;
  controls?(result: Result, view: View): Control[];
  parts: Part[];
}

// A kind's parts take results of that kind alone, which the table's key assures.
function parts(...list: unknown[]): Part[] {
  return list as Part[];
}

const { headline, notes, assumptions } = common;
const { outcome, setting, bound, uncertainty, evaluation } = runBlocks;
const { answer, runnersUp, notChosen } = recommendationBlocks;

export const kinds: Record<string, Kind> = {
  run: {
    title: "Run",
    parts: parts(
      outcome,
      headline,
      notes,
      setting,
      jobCourse,
      bound,
      changes,
      kernels,
      poolShares,
      staleness,
      stalenessByWorker,
      split,
      timeline,
      collectives,
      machine,
      memoryPeak,
      memoryCourse,
      loss,
      metrics,
      evaluation,
      uncertainty,
      assumptions,
    ),
  },
  sweep: {
    title: "Sweep",
    controls: (result, view) => ((result as Sweep).points > 0 ? sweepControls(result as Sweep, view) : []),
    parts: parts(
      headline,
      notes,
      sweepFigure,
      sweepEfficiency,
      sweepCost,
      sweepBlocks.points,
      sweepBlocks.infeasible,
      assumptions,
    ),
  },
  collective: {
    title: "Collective",
    parts: parts(headline, notes, collectiveBandwidth, collectiveTime, schedule, machine, assumptions),
  },
  recommendation: {
    title: "Recommendation",
    parts: parts(headline, answer, notes, sizes, reached, runnersUp, notChosen, assumptions),
  },
};

export function isChart(part: Part): part is Chart {
  return "option" in part;
}

export function chartsOf(result: Result): Chart[] {
  return (kinds[result.kind]?.parts ?? []).filter(isChart).filter((chart) => chart.applies(result));
}
