// Opens a report in a real browser, and records what the page asks of the network and what it complains of.
import { mkdtempSync, rmSync, writeFileSync, statSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowser } from "../scripts/browser.mjs";
import { pageWith } from "../scripts/page.mjs";

const folder = mkdtempSync(join(tmpdir(), "windtunnel-viz-"));
let browser;
let pages = 0;

export async function open(report, options = {}) {
  browser ??= await openBrowser();
  const file = join(folder, `${(pages += 1)}.html`);
  writeFileSync(file, pageWith(report));
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    acceptDownloads: true,
    ...options,
  });
  const page = await context.newPage();
  const requests = [];
  const problems = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => problems.push(error.stack));
  page.on("console", (message) => problems.push(message.text()));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const address = pathToFileURL(file).href;
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.scriptMs !== undefined);
  return { page, requests, problems, address, size: statSync(file).size };
}

export async function close() {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}

// Draws a chart by coming near it, and waits until it is drawn.
export async function draw(page, slug) {
  const figure = page.locator(`[data-chart="${slug}"]`).first();
  await figure.scrollIntoViewIfNeeded();
  await figure.locator("canvas").first().waitFor();
  return figure;
}

export async function csvOf(page, figure, label = "CSV") {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    figure.getByText(label, { exact: true }).click(),
  ]);
  return readCsv(readFileSync(await download.path(), "utf8"));
}

// RFC 4180.
export function readCsv(text) {
  const rows = [[""]];
  let quoted = false;
  for (let at = 0; at < text.length; ++at) {
    const row = rows[rows.length - 1];
    const letter = text[at];
    if (quoted) {
      if (letter === '"' && text[at + 1] === '"') row[row.length - 1] += text[++at];
      else if (letter === '"') quoted = false;
      else row[row.length - 1] += letter;
    } else if (letter === '"') quoted = true;
    else if (letter === ",") row.push("");
    else if (letter === "\n") rows.push([""]);
    else if (letter !== "\r") row[row.length - 1] += letter;
  }
  return rows.slice(0, -1);
}
