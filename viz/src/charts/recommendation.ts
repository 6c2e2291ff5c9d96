// The smallest machine of each platform that meets the target, with the interval in which the true answer
// lies, and the speed that each reaches.
import type { Choice, MachineSize, Recommendation } from "../data/report";
import { stroke } from "../style/look";
import { number } from "../text/quantity";
import { shorten, words } from "../text/shorten";
import type { Chart } from "./chart";
import { base, below, categoriesDown, figures, labelsInside, legend, tooltip, valueAxis } from "./parts";

function ends(choice: Choice): [number, number] {
  return [
    choice.at_least?.devices ?? choice.smallest.devices,
    choice.at_most?.devices ?? choice.smallest.devices,
  ];
}

function speeds(choice: Choice): [number, number] {
  const { low, high } = choice.predicted_over_true;
  return [choice.smallest.samples_per_second / high, choice.smallest.samples_per_second / low];
}

function price(size: MachineSize | null | undefined): string {
  return size?.cost_per_hour === undefined
    ? "no price is given"
    : `${number(size.cost_per_hour)} ${size.currency ?? ""} an hour`;
}

function choiceFigures(choice: Choice): [string, string][] {
  const { smallest, at_least, at_most } = choice;
  return [
    ["answer", smallest.size],
    ["at least", at_least?.size ?? "not known"],
    ["at most", at_most?.size ?? "no size that was tried is sure"],
    ["devices", number(smallest.devices)],
    ["throughput", `${number(smallest.samples_per_second)} samples/s`],
    ["price", price(smallest)],
    ["strategy", words(smallest.strategy)],
    ["precision", smallest.precision],
    ["known from", choice.known_from],
    ["limited by", choice.limited_by ?? "–"],
  ];
}

interface IntervalApi {
  coord(value: number[]): number[];
  value(dimension: number): number;
}

// An interval as a bar with caps. An open upper end has an arrow in place of the cap.
function drawInterval(color: string, isOpen: (at: number) => boolean) {
  return ((params: { dataIndex: number }, api: IntervalApi) => {
    const [x1, y] = api.coord([api.value(0), api.value(2)]);
    const [x2] = api.coord([api.value(1), api.value(2)]);
    const end = isOpen(params.dataIndex)
      ? `M${x2} ${y}L${x2 + 14} ${y}M${x2 + 9} ${y - 4}L${x2 + 14} ${y}L${x2 + 9} ${y + 4}`
      : `M${x2} ${y - 6}L${x2} ${y + 6}`;
    return {
      type: "path",
      shape: { pathData: `M${x1} ${y}L${x2} ${y}M${x1} ${y - 6}L${x1} ${y + 6}${end}` },
      style: { stroke: color, lineWidth: 2, fill: "none" },
    };
  }) as never;
}

function chart(
  slug: string,
  short: string,
  title: string,
  axis: string,
  explain: (result: Recommendation) => string,
  value: (choice: Choice) => number,
  interval: (choice: Choice) => [number, number],
  isOpen: (choice: Choice) => boolean,
  target: (result: Recommendation) => number | null,
): Chart<Recommendation> {
  return {
    slug,
    short,
    title: () => title,
    explain,
    applies: (result) => result.choices.length > 0,
    height: (result) => 108 + 40 * result.choices.length,
    option(result, look) {
      const { choices } = result;
      const color = (choice: Choice) => stroke(look, choice.known_from === "data sheet alone" ? 1 : 0).color;
      const kinds = [
        ["published", "known from published rows"],
        ["data sheet alone", "known from the data sheet alone"],
      ] as const;
      const goal = target(result);
      return {
        ...base(look),
        legend: legend(look),
        grid: { left: 8, right: 120, top: 34, bottom: 8, ...labelsInside },
        tooltip: tooltip(look, ((item: { data: { choice?: number } | number[]; dataIndex: number }) => {
          const at = (item.data as { choice?: number }).choice;
          return at === undefined ? "" : figures(choices[at].platform, choiceFigures(choices[at]));
        }) as never),
        xAxis: below({ ...valueAxis(look, axis, (value) => number(value)), min: 0 }),
        yAxis: categoriesDown(
          look,
          choices.map(({ platform, device }) => `${shorten(platform, 32)}\n${shorten(device, 34)}`),
        ),
        series: [
          {
            type: "custom",
            name: "interval: the truth in 80 of 100 cases",
            color: look.muted,
            silent: true,
            data: choices.map((choice, at) => [...interval(choice), at]),
            encode: { x: [0, 1], y: 2 },
            renderItem: drawInterval(look.muted, (at) => isOpen(choices[at])),
            z: 1,
          },
          ...kinds.map(([known, name], index) => ({
            type: "scatter",
            name,
            color: stroke(look, index).color,
            symbol: index ? "emptyDiamond" : "circle",
            symbolSize: 12,
            z: 3,
            data: choices
              .map((choice, at) => ({ choice, at }))
              .filter(
                ({ choice }) => (choice.known_from === "data sheet alone") === (known === "data sheet alone"),
              )
              .map(({ choice, at }) => ({
                value: [value(choice), at],
                choice: at,
                itemStyle: { color: color(choice) },
                label: {
                  show: true,
                  position: "top",
                  distance: 4,
                  align: "left",
                  offset: [-5, 0],
                  color: look.ink,
                  fontSize: 11,
                  backgroundColor: look.surface,
                  padding: [1, 2],
                  formatter: slug.endsWith("sizes")
                    ? shorten(choice.smallest.size, 24)
                    : number(value(choice)),
                },
              })),
          })),
          ...(goal === null
            ? []
            : [
                {
                  type: "line",
                  name: `target: ${result.target}`,
                  color: look.ink,
                  symbol: "none",
                  silent: true,
                  data: [],
                  itemStyle: { opacity: 0 },
                  markLine: {
                    z: 0,
                    silent: true,
                    symbol: "none",
                    lineStyle: { color: look.ink, type: "dashed" },
                    label: { show: false },
                    data: [{ xAxis: goal }],
                  },
                  lineStyle: { type: "dashed" },
                },
              ]),
        ],
      };
    },
    table: (result) => ({
      columns: [
        { title: "platform" },
        { title: "device" },
        ...choiceFigures(result.choices[0]).map(([name]) => ({ title: name })),
      ],
      rows: result.choices.map((choice) => [
        choice.platform,
        choice.device,
        ...choiceFigures(choice).map(([, figure]) => figure),
      ]),
    }),
  };
}

function ranking(result: Recommendation): string {
  return result.ranked_by === "cost_per_hour"
    ? "The cheapest is first; platforms without a price follow."
    : "The one with the fewest devices is first.";
}

export const sizes = chart(
  "recommendation-sizes",
  "Sizes",
  "The smallest machine of each platform that meets the target, in devices",
  "devices",
  ranking,
  (choice) => choice.smallest.devices,
  ends,
  (choice) => choice.at_most === null,
  () => null,
);

// "5000 samples/s" states a speed; a target of another kind has no line.
function targetSpeed(result: Recommendation): number | null {
  const found = /^([\d.,]+) samples\/s/.exec(result.target);
  return found ? Number(found[1].replaceAll(",", "")) : null;
}

export const reached = chart(
  "recommendation-throughput",
  "Throughput",
  "Throughput of each of these machines (samples/s)",
  "samples/s",
  () => "Shown are the predicted throughput and where the true one lies.",
  (choice) => choice.smallest.samples_per_second,
  speeds,
  () => false,
  targetSpeed,
);
