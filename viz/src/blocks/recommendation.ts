// The answer of `recommend` in words, and what was not chosen.
import type { Block } from "../charts/chart";
import type { Recommendation } from "../data/report";
import { number } from "../text/quantity";
import { sentence } from "../text/shorten";
import { element } from "./element";
import { tableElement } from "./table";

export const answer: Block<Recommendation> = {
  slug: "answer",
  short: "The answer",
  title: (result) => `The smallest machine for ${result.target}`,
  applies: () => true,
  draw: (result) =>
    element(
      "div",
      { class: "prose" },
      result.choices.length === 0
        ? element("p", { class: "lead" }, "No machine that was considered meets the target.")
        : null,
      result.sentence ? element("p", { class: "lead" }, sentence(result.sentence)) : null,
      result.best_measurement
        ? element("p", {}, `The measurement that would make this surest: ${result.best_measurement}.`)
        : null,
      result.held_fixed?.length ? element("p", {}, "Held fixed:") : null,
      element("ul", {}, ...(result.held_fixed ?? []).map((line) => element("li", {}, sentence(line)))),
    ),
};

// "5 to 6 machines": the unit stands once where both ends have it.
function range(least: string | undefined, most: string | undefined): string {
  if (!least || !most) return `${least ?? "?"} to ${most ?? "no sure size"}`;
  if (least === most) return least;
  const [from, to] = [/^(\d+) machines?$/.exec(least), /^(\d+) machines?$/.exec(most)];
  return from && to ? `${from[1]} to ${to[1]} machines` : `${least} to ${most}`;
}

export const runnersUp: Block<Recommendation> = {
  slug: "runners-up",
  short: "Runners-up",
  title: () => "The answer and its runners-up",
  applies: (result) => result.choices.length > 0,
  draw: (result) =>
    tableElement(
      {
        columns: [
          { title: "platform" },
          { title: "smallest" },
          { title: "interval" },
          { title: "devices", numeric: true },
          { title: "samples/s", numeric: true, show: (value) => number(value as number) },
          { title: "price of an hour", numeric: true },
          { title: "known from" },
        ],
        rows: result.choices.map(({ platform, smallest, at_least, at_most, known_from }) => [
          platform,
          smallest.size,
          range(at_least?.size, at_most?.size),
          smallest.devices,
          smallest.samples_per_second,
          smallest.cost_per_hour === undefined
            ? null
            : `${number(smallest.cost_per_hour)} ${smallest.currency ?? ""}`,
          known_from,
        ]),
      },
      "Choices",
    ),
};

export const notChosen: Block<Recommendation> = {
  slug: "not-chosen",
  short: "Not chosen",
  title: () => "Platforms that don't meet the target, and why",
  applies: (result) => (result.too_slow?.length ?? 0) + (result.impossible?.length ?? 0) > 0,
  draw: (result) =>
    tableElement(
      {
        columns: [
          { title: "platform" },
          { title: "fastest that was tried" },
          { title: "samples/s", numeric: true, show: (value) => number(value as number) },
          { title: "why not" },
        ],
        rows: [
          ...(result.too_slow ?? []).map((row) => [
            row.platform,
            row.fastest?.size ?? null,
            row.fastest?.samples_per_second ?? null,
            row.why_not,
          ]),
          ...(result.impossible ?? []).map((row) => [row.platform, null, null, row.why_not]),
        ],
      },
      "Platforms that were not chosen",
    ),
};
