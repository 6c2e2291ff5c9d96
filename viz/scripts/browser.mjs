// Debian's Chromium, without a window. CHROMIUM names another one.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const places = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export function chromiumPath() {
  return places.find((path) => path && existsSync(path));
}

export async function openBrowser() {
  const executablePath = chromiumPath();
  if (!executablePath) throw new Error("no Chromium: install the package chromium, or name it in CHROMIUM");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--font-render-hinting=none"] });
}
