// What a run says in words: what it was, why it ended early, what bounds it, and how well its figures are
// known.
import type { Block } from "../charts/chart";
import type { Run } from "../data/report";
import { number, seconds, signedPercent } from "../text/quantity";
import { oneLine, sentence, words } from "../text/shorten";
import { element } from "./element";

export const outcome: Block<Run> = {
  slug: "outcome",
  short: "Why it ended",
  title: (run) => `The run ended early: ${words(run.outcome)}`,
  applies: (run) => run.outcome !== "done",
  draw: (run) =>
    element(
      "div",
      { class: "failure", role: "note" },
      run.message ? element("pre", {}, run.message) : element("p", {}, "The results give no message."),
    ),
};

function facts(pairs: [string, string | undefined][]): HTMLElement {
  const list = element("dl", { class: "facts" });
  for (const [name, value] of pairs)
    if (value) list.append(element("dt", {}, name), element("dd", {}, value));
  return list;
}

export const setting: Block<Run> = {
  slug: "setting",
  short: "What was run",
  title: () => "What was run",
  applies: (run) => !!run.planned && !!run.model,
  draw({ model, planned, simulated, strategy, numerics }) {
    const numericsText: Record<string, string> = {
      none: "shapes only: nothing was trained",
      cpu: "trained on the CPU",
      cuda: "trained with CUDA",
    };
    return facts([
      ["model", `${oneLine(model.name)}, ${number(model.parameters, 12)} parameters`],
      [
        "strategy",
        `${words(strategy)}, ${planned.replicas} ${planned.replicas === 1 ? "replica" : "replicas"} on ${planned.workers} ${planned.workers === 1 ? "worker" : "workers"}`,
      ],
      ["global batch", `${number(planned.global_batch, 12)} rows`],
      ["length", `${number(planned.epochs, 9)} × ${number(planned.steps, 12)} steps`],
      ["platform", simulated && `${simulated.platform}: ${simulated.device}, ${simulated.precision}`],
      ["numbers", numericsText[numerics] ?? numerics],
    ]);
  },
};

// The largest gain in words, and the rest as the chart below.
function bestChange(run: Run): string {
  const data = run.explanation?.changes;
  if (!data || data.change.length < 2) return "";
  let best = 1;
  data.change.forEach((_, at) => {
    if (at > 0 && (data.gain[at] ?? -1) > (data.gain[best] ?? -1)) best = at;
  });
  const gain = data.gain[best];
  if (gain === null || gain <= 0.005)
    return "None of the changes below would raise the throughput by half a percent.";
  return `The change that would help most: ${data.change[best]}, ${signedPercent(gain)} samples per second.`;
}

export const bound: Block<Run> = {
  slug: "bound",
  short: "What bounds the step",
  title: () => "What bounds the step, and what would help",
  applies: (run) => !!run.explanation?.sentence,
  draw(run) {
    const compute = run.explanation!.compute;
    return element(
      "div",
      { class: "prose" },
      element("p", { class: "lead" }, sentence(run.explanation!.sentence)),
      compute
        ? element(
            "p",
            {},
            `Kernels of one device spend ${seconds(compute.arithmetic_s)} on arithmetic, ${seconds(compute.memory_s)} on memory and ${seconds(compute.gap_s)} in gaps between launches.`,
          )
        : null,
      element("p", {}, bestChange(run)),
    );
  },
};

export const uncertainty: Block<Run> = {
  slug: "uncertainty",
  short: "How well it is known",
  title: () => "How well these figures are known",
  applies: (run) => !!run.uncertainty,
  draw(run) {
    const known = run.uncertainty!;
    return facts([
      ["known from", known.known_from],
      ["kernels", known.kernels_basis],
      ["communication", known.communication_basis],
      [
        "nearest row",
        known.nearest &&
          `${known.nearest.row}; predicted over published: ${number(known.nearest.predicted_over_published)}`,
      ],
      ["extrapolation", known.extrapolation],
      ["times", run.simulated?.basis],
    ]);
  },
};

export const evaluation: Block<Run> = {
  slug: "evaluation",
  short: "Evaluation",
  title: () => "Evaluation after the training",
  applies: (run) => !!run.training?.evaluation,
  draw(run) {
    const { loss, metrics } = run.training!.evaluation!;
    return facts([
      ["loss", number(loss, 6)],
      ...Object.entries(metrics ?? {}).map(([name, value]): [string, string] => [
        words(name),
        number(value, 5),
      ]),
    ]);
  },
};
