// A chart as a file: the same option as on the page, drawn by ECharts' server-side rendering
// (https://echarts.apache.org/handbook/en/how-to/cross-platform/server), with its title above it.
import type { Chart } from "../charts/chart";
import { font } from "../charts/parts";
import type { Result } from "../data/report";
import type { View } from "../data/view";
import { echarts } from "../style/engine";
import type { Look } from "../style/look";
import { shorten } from "../text/shorten";

const titleHeight = 40;
const margin = 16;

export function escapeXml(text: string): string {
  const names: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  // XML 1.0 has no place for most control characters, however they are written.
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, " ")
    .replace(/[&<>"']/g, (letter) => names[letter]);
}

export function svg(chart: Chart, result: Result, look: Look, view: View, width = 960): string {
  const height = chart.height(result, view);
  const drawing = echarts.init(null, null, { renderer: "svg", ssr: true, width: width - 2 * margin, height });
  let inner: string;
  try {
    drawing.setOption(withoutSliders(chart.option(result, look, view)));
    inner = drawing.renderToSVGString();
  } finally {
    drawing.dispose();
  }
  const title = escapeXml(chart.title(result, view));
  const total = height + titleHeight + 2 * margin;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" role="img">` +
    `<title>${title}</title><rect width="100%" height="100%" fill="${look.surface}"/>` +
    `<text x="${margin}" y="${margin + 16}" font-family="${escapeXml(font)}" font-size="16" font-weight="600" fill="${look.ink}">${escapeXml(shorten(chart.title(result, view), 110))}</text>` +
    `<svg x="${margin}" y="${margin + titleHeight}" width="${width - 2 * margin}" height="${height}">${inner.replace(/^<\?xml[^>]*>/, "")}</svg></svg>`
  );
}

// A file can't be zoomed, so its sliders would only take room.
function withoutSliders(option: Record<string, unknown>): Record<string, unknown> {
  const zooms = (option.dataZoom as { type: string }[] | undefined)?.map((zoom) =>
    zoom.type === "slider" ? { ...zoom, show: false } : zoom,
  );
  return zooms ? { ...option, dataZoom: zooms } : option;
}
