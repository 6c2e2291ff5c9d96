// render.js REPORT.json [--svg DIR] [--png DIR] [--look light|dark|print]: every chart of a report as a file
// of its own, named by the chart. Prints the names of the files.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chartsOf } from "../catalog";
import { withComparisons } from "../data/join";
import type { Report } from "../data/report";
import { looks, type LookName } from "../style/look";
import { svg } from "./svg";

const usage = "usage: node render.js REPORT.json [--svg DIR] [--png DIR] [--look light|dark|print]";

class Mistake extends Error {}

function readArguments(words: string[]) {
  const options: Record<string, string> = {};
  let file = "";
  for (let at = 0; at < words.length; ++at) {
    const name = words[at].replace(/^--/, "");
    if (!words[at].startsWith("--")) {
      if (file)
        throw new Mistake(`one report is drawn at a time, and "${words[at]}" is a second one\n${usage}`);
      file = words[at];
    } else if (["svg", "png", "look"].includes(name)) {
      const value = words[++at];
      if (!value) throw new Mistake(`--${name} needs a value\n${usage}`);
      options[name] = value;
    } else {
      throw new Mistake(`unknown option "${words[at]}"\n${usage}`);
    }
  }
  if (!file) throw new Mistake(usage);
  if (!options.svg && !options.png) throw new Mistake(`give --svg DIR, --png DIR or both\n${usage}`);
  const look = (options.look ?? "light") as LookName;
  if (!Object.hasOwn(looks, look))
    throw new Mistake(`unknown look "${look}"; there are ${Object.keys(looks).join(", ")}`);
  return { file, svg: options.svg, png: options.png, look: looks[look] };
}

function readReport(file: string): Report {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch (error) {
    throw new Mistake(`${file}: ${(error as Error).message}`);
  }
  if (report?.format !== "windtunnel report" || !Array.isArray(report.results)) {
    throw new Mistake(`${file}: is no report of windtunnel; \`windtunnel report FOLDER\` writes one`);
  }
  return report;
}

async function rasteriser() {
  try {
    return (await import("@resvg/resvg-js")).Resvg;
  } catch {
    throw new Mistake(
      "PNG needs the package @resvg/resvg-js; `npm ci` in viz/ installs it, and --svg works without it",
    );
  }
}

async function main() {
  const wanted = readArguments(process.argv.slice(2));
  const results = withComparisons(readReport(wanted.file));
  const Resvg = wanted.png ? await rasteriser() : undefined;
  for (const folder of [wanted.svg, wanted.png]) if (folder) mkdirSync(folder, { recursive: true });
  results.forEach((result, at) => {
    const prefix = results.length > 1 ? `${at + 1}-` : "";
    for (const chart of chartsOf(result)) {
      const name = `${prefix}${chart.slug}`;
      const drawing = svg(chart, result, wanted.look, {});
      if (wanted.svg) {
        writeFileSync(join(wanted.svg, `${name}.svg`), drawing);
        console.log(`${name}.svg`);
      }
      if (wanted.png && Resvg) {
        const image = new Resvg(drawing, {
          fitTo: { mode: "zoom", value: 2 },
          font: {
            loadSystemFonts: true,
            defaultFontFamily: "Liberation Sans",
            sansSerifFamily: "Liberation Sans",
          },
        });
        writeFileSync(join(wanted.png, `${name}.png`), image.render().asPng());
        console.log(`${name}.png`);
      }
    }
  });
}

main().catch((error: Error) => {
  console.error(error instanceof Mistake ? error.message : error);
  process.exitCode = error instanceof Mistake ? 2 : 3;
});
