// Names come from users and may be of any length; a drawing shows their beginning, and tables show them
// whole.

// Marks that turn the direction of writing, and line breaks, would disturb the text around a name.
const control = /[\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

export function oneLine(text: string): string {
  return text.replace(control, " ").trim();
}

export function shorten(text: string, length = 48): string {
  const line = oneLine(text);
  const letters = [...line];
  return letters.length <= length ? line : letters.slice(0, length - 1).join("") + "…";
}

// "/job:worker/replica:0/task:3/device:GPU:1" is "worker 3 · GPU 1", and on one machine "GPU 1".
export function deviceLabel(name: string): string {
  const parts = /^\/job:([^/]+)\/replica:\d+\/task:(\d+)\/device:([^:/]+):(\d+)$/.exec(name);
  if (!parts) return shorten(name, 32);
  const [, job, task, type, index] = parts;
  return job === "localhost" ? `${type} ${index}` : `${job} ${task} · ${type} ${index}`;
}

// "/job:worker/replica:0/task:1" is "worker 1".
export function taskLabel(name: string): string {
  const parts = /^\/job:([^/]+)\/replica:\d+\/task:(\d+)$/.exec(name);
  return parts ? shorten(`${parts[1]} ${parts[2]}`, 32) : shorten(name, 32);
}

export function words(key: string): string {
  return key.replaceAll("_", " ");
}

const layouts: Record<string, string> = { nvswitch: "NVSwitch", pcie: "PCIe" };

export function layoutName(layout: string): string {
  return layouts[layout] ?? words(layout);
}

export function sentence(text: string): string {
  // A number and its unit stay on one line.
  const line = text.trim().replace(/(\d) (%|[munµk]?s\b)/g, "$1\u00a0$2");
  if (!line) return "";
  const capital = line[0].toUpperCase() + line.slice(1);
  return /[.!?]$/.test(capital) ? capital : capital + ".";
}
