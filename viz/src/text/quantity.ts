// Numbers as people read them: a unit of the right size and no more digits than mean something. Grouping and
// the space before "%" are those of the program's own tables.

const absent = "–";

function digits(value: number, significant: number): string {
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.max(0, significant - 1 - magnitude);
  return value.toLocaleString("en-US", { maximumFractionDigits: Math.min(decimals, 12) });
}

export function number(value: number | null | undefined, significant = 4): string {
  return value === null || value === undefined ? absent : digits(value, significant);
}

interface Scale {
  unit: string;
  factor: number;
}

function scaled(value: number, scales: Scale[], significant: number): string {
  const size = Math.abs(value);
  const scale = scales.find((candidate) => size >= candidate.factor) ?? scales[scales.length - 1];
  return `${digits(value / scale.factor, significant)} ${scale.unit}`;
}

const times: Scale[] = [
  { unit: "h", factor: 3600 },
  { unit: "min", factor: 60 },
  { unit: "s", factor: 1 },
  { unit: "ms", factor: 1e-3 },
  { unit: "µs", factor: 1e-6 },
  { unit: "ns", factor: 1e-9 },
];

const sizes: Scale[] = [
  { unit: "TiB", factor: 2 ** 40 },
  { unit: "GiB", factor: 2 ** 30 },
  { unit: "MiB", factor: 2 ** 20 },
  { unit: "KiB", factor: 2 ** 10 },
  { unit: "B", factor: 1 },
];

const rates: Scale[] = [
  { unit: "TB/s", factor: 1e12 },
  { unit: "GB/s", factor: 1e9 },
  { unit: "MB/s", factor: 1e6 },
  { unit: "kB/s", factor: 1e3 },
  { unit: "B/s", factor: 1 },
];

export function seconds(value: number | null | undefined, significant = 4): string {
  if (value === null || value === undefined) return absent;
  return value === 0 ? "0 s" : scaled(value, times, significant);
}

export function bytes(value: number | null | undefined, significant = 4): string {
  if (value === null || value === undefined) return absent;
  return value === 0 ? "0 B" : scaled(value, sizes, significant);
}

export function bytesPerSecond(value: number | null | undefined): string {
  if (value === null || value === undefined) return absent;
  return value === 0 ? "0 B/s" : scaled(value, rates, 4);
}

export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined) return absent;
  return `${digits(share * 100, 3)} %`;
}

// A gain or a loss, to a tenth of a percent: what is less is noise of the model.
export function signedPercent(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined) return absent;
  const tenths = Math.round(ratio * 1000) / 10;
  const size = Math.abs(tenths).toLocaleString("en-US", {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  return `${tenths > 0 ? "+" : tenths < 0 ? "−" : ""}${size} %`;
}

// Shares that their keys don't call so.
const shares = new Set(["mfu", "scaling_efficiency", "goodput"]);

export function isShare(key: string): boolean {
  return shares.has(key) || key.endsWith("_share");
}

// A figure by its key and unit, for columns that only the data name.
export function show(value: unknown, key: string, unit: string): string {
  if (value === null || value === undefined || value === "") return absent;
  if (typeof value !== "number") return String(value);
  if (unit === "s") return seconds(value);
  if (unit === "B") return bytes(value);
  if (isShare(key)) return percent(value);
  return unit ? `${number(value)} ${unit}` : number(value);
}

// Ticks of an axis on which only values of this unit stand.
export function tick(key: string, unit: string): (value: number) => string {
  return (value) => show(Number(value.toPrecision(6)), key, unit === "s" || unit === "B" ? unit : "");
}
