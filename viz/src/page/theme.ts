// Light or dark: what the system prefers, until the reader chooses. Paper is always drawn in the look for
// print.
import { looks, type Look } from "../style/look";

type Choice = "system" | "light" | "dark";

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const onPaper = matchMedia("print");
const listeners: (() => void)[] = [];
let choice: Choice = "system";

export function currentLook(): Look {
  if (onPaper.matches) return looks.print;
  const isDark = choice === "system" ? prefersDark.matches : choice === "dark";
  return isDark ? looks.dark : looks.light;
}

export function onLookChange(listener: () => void) {
  listeners.push(listener);
}

function apply() {
  document.documentElement.dataset.look = currentLook().name;
  for (const listener of listeners) listener();
}

export function choose(next: Choice) {
  choice = next;
  apply();
}

export function watchLook() {
  prefersDark.addEventListener("change", apply);
  onPaper.addEventListener("change", apply);
  document.documentElement.dataset.look = currentLook().name;
}
