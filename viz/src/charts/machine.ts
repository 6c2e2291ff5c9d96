// The machine as a drawing, with the load of each link. The program gives the places of nodes, by which a
// torus, a cube mesh, an NVSwitch and a fat tree are recognised; the widths and colours of lines are the
// load.
import { indices, largest } from "../data/columns";
import type { Collective, Machine, Result, Run } from "../data/report";
import { inkOn, type Look } from "../style/look";
import { bytes, bytesPerSecond, percent, seconds } from "../text/quantity";
import { sentence, shorten, words } from "../text/shorten";
import type { Chart } from "./chart";
import { base, figures, tooltip } from "./parts";

type Shape = Record<string, unknown>;
interface Place {
  x: number;
  y: number;
  unit: number;
}
interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

const legendHeight = 44;

// A torus of three dimensions is drawn as a cube seen from the side (a cabinet projection), and other
// machines at the places that the program gives.
function drawingPlaces(machine: Machine): { x: number[]; y: number[] } {
  const { nodes, extents } = machine;
  const depth = extents?.length === 3 ? extents[2] : 1;
  if (
    !isTorus(machine) ||
    depth === 1 ||
    depth > 8 ||
    !nodes.coordinates?.every((place) => place?.length === 3)
  )
    return nodes;
  const step = 0.92 / depth;
  const at = nodes.coordinates as number[][];
  return {
    x: at.map(([x, , z]) => 1.3 * x + 1.3 * step * z),
    y: at.map(([, y, z]) => y + step * (depth - 1 - z)),
  };
}

function isTorus(machine: Machine): boolean {
  return machine.layout === "torus";
}

function bounds(machine: Machine) {
  const places = drawingPlaces(machine);
  const framed = machine.machines.name.length > 0;
  const margin = framed ? 0.15 : 0.6;
  const xs = [...places.x, ...machine.machines.x0, ...machine.machines.x1];
  const ys = [...places.y, ...machine.machines.y0, ...machine.machines.y1];
  const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (values: number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);
  return {
    left: least(xs) - margin,
    right: most(xs) + margin,
    top: least(ys) - margin,
    bottom: most(ys) + margin,
  };
}

// Drawing coordinates to pixels: as large as the area allows, but nodes never closer to each other than they
// are wide.
function placer(machine: Machine, area: Area) {
  const box = bounds(machine);
  const unitX = Math.min(area.width / (box.right - box.left), 120);
  const unitY = Math.min((area.height - legendHeight) / (box.bottom - box.top), 96);
  const unit = Math.min(unitX, unitY);
  const offsetX = area.x + (area.width - unitX * (box.right - box.left)) / 2;
  const offsetY = area.y + legendHeight;
  return (x: number, y: number): Place => ({
    x: offsetX + (x - box.left) * unitX,
    y: offsetY + (y - box.top) * unitY,
    unit,
  });
}

// Whether a link between two devices would run through a third one, were it straight.
function isBent(machine: Machine, link: number): boolean {
  const { nodes, links } = machine;
  const [a, b] = [links.from[link], links.to[link]];
  if (links.wraps[link]) return true;
  if (isTorus(machine) || nodes.kind[a] !== "device" || nodes.kind[b] !== "device") return false;
  const [dx, dy] = [nodes.x[b] - nodes.x[a], nodes.y[b] - nodes.y[a]];
  const length = Math.hypot(dx, dy);
  if (length < 1.5) return false;
  return nodes.x.some((x, node) => {
    if (node === a || node === b) return false;
    const along = ((x - nodes.x[a]) * dx + (nodes.y[node] - nodes.y[a]) * dy) / (length * length);
    const across = Math.abs((x - nodes.x[a]) * dy - (nodes.y[node] - nodes.y[a]) * dx) / length;
    return along > 0.05 && along < 0.95 && across < 0.3;
  });
}

function scaleOf(machine: Machine): number {
  return largest(machine.links.load_share) || 1;
}

function loadColor(look: Look, share: number, most: number): string {
  return look.loads[Math.min(look.loads.length - 1, Math.floor((share / most) * look.loads.length))];
}

// A link that closes a ring of a torus leaves the drawing at one side and comes back at the other, as in most
// figures of tori: whole arcs would hide what is between.
function stubs(from: Place, to: Place): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const reach = Math.min(from.unit * 0.5, 30) / length;
  const [dx, dy] = [(to.x - from.x) * reach, (to.y - from.y) * reach];
  return `M${from.x} ${from.y}L${from.x - dx} ${from.y - dy}M${to.x} ${to.y}L${to.x + dx} ${to.y + dy}`;
}

function drawLink(machine: Machine, link: number, look: Look, area: Area): Shape {
  const place = placer(machine, area);
  const { links } = machine;
  const { x, y } = drawingPlaces(machine);
  const [a, b] = [links.from[link], links.to[link]];
  const from = place(x[a], y[a]);
  const to = place(x[b], y[b]);
  const share = links.load_share[link];
  const most = scaleOf(machine);
  const style =
    share > 0
      ? {
          stroke: loadColor(look, share, most),
          lineWidth: 1 + Math.min(4.5, from.unit * 0.035) * (share / most),
          fill: "none",
        }
      : { stroke: look.muted, lineWidth: 0.8, lineDash: [2, 3], fill: "none", opacity: 0.7 };
  if (isTorus(machine) && links.wraps[link])
    return { type: "path", shape: { pathData: stubs(from, to) }, style, z2: share > 0 ? 2 : 1 };
  const shape: Shape = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
  if (isBent(machine, link)) {
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = Math.hypot(dx, dy) || 1;
    const bow = Math.min(0.16 * length + 6, 46);
    // Every arc bows to the same side of its drawing, whichever end is named first.
    const side = dx > 0 || (dx === 0 && dy > 0) ? 1 : -1;
    shape.cpx1 = (from.x + to.x) / 2 + (side * dy * bow) / length;
    shape.cpy1 = (from.y + to.y) / 2 - (side * dx * bow) / length;
    return { type: "bezierCurve", shape, style, z2: share > 0 ? 2 : 1 };
  }
  return { type: "line", shape, style, z2: share > 0 ? 2 : 1 };
}

const shortKind: Record<string, string> = {
  nvswitch: "NVSwitch",
  pcie_switch: "PCIe",
  host: "host",
  nic: "NIC",
  switch: "switch",
  leaf: "leaf",
  spine: "spine",
  adder: "adder",
  chip: "chip",
  device: "",
};

// Devices are filled, switches are outlined and wide, and the rest is outlined and small.
function drawNode(machine: Machine, node: number, look: Look, area: Area): Shape {
  const { nodes } = machine;
  const at = nodes.kind[node];
  const places = drawingPlaces(machine);
  const { x, y, unit } = placer(machine, area)(places.x[node], places.y[node]);
  const isDense = isTorus(machine) && nodes.name.length > 32;
  const isDevice = at === "device" || at === "chip";
  const isSwitch = ["nvswitch", "switch", "leaf", "spine"].includes(at);
  const label = shorten(nodes.label[node] || shortKind[at] || at, 16);
  const size = Math.min(unit * (isDense ? 0.13 : 0.62), 40);
  const [width, height] = isSwitch
    ? [Math.min(unit * 0.9, 74), Math.min(size, 24)]
    : [isDense ? size : Math.min(unit * 0.8, 52), Math.min(size, 26)];
  const fill = isDevice ? look.lines[0] : look.surface;
  const number = /\d+$/.exec(label)?.[0] ?? label;
  const kind = shortKind[at] ?? at;
  const text =
    [label, kind && number !== label ? `${kind} ${number}` : kind, isDevice || isSwitch ? number : kind].find(
      (candidate) => candidate && height >= 11 && width > candidate.length * 5.4 + 2,
    ) ?? "";
  return {
    type: "group",
    z2: 5,
    children: [
      {
        type: "rect",
        shape: { x: x - width / 2, y: y - height / 2, width, height, r: isSwitch ? 2 : 5 },
        style: { fill, stroke: isDevice ? look.surface : look.muted, lineWidth: isSwitch ? 2 : 1 },
      },
      {
        type: "text",
        x,
        y,
        style: {
          text,
          fill: isDevice ? inkOn(fill) : look.ink,
          align: "center",
          verticalAlign: "middle",
          font: "10px sans-serif",
        },
      },
    ],
  };
}

function drawFrame(machine: Machine, at: number, look: Look, area: Area): Shape {
  const place = placer(machine, area);
  const { machines } = machine;
  const a = place(machines.x0[at], machines.y0[at]);
  const b = place(machines.x1[at], machines.y1[at]);
  return {
    type: "group",
    z2: 0,
    children: [
      {
        type: "rect",
        silent: true,
        shape: { x: a.x, y: a.y, width: b.x - a.x, height: b.y - a.y, r: 8 },
        style: { fill: "none", stroke: look.rule, lineWidth: 1.2 },
      },
      {
        type: "text",
        silent: true,
        x: a.x + 6,
        y: b.y - 4,
        style: {
          text: shorten(machines.name[at], 22),
          fill: look.muted,
          font: "10px sans-serif",
          verticalAlign: "bottom",
        },
      },
    ],
  };
}

function drawLegend(machine: Machine, look: Look, area: Area): Shape {
  const most = scaleOf(machine);
  const text = (x: number, y: number, value: string, align = "left") => ({
    type: "text",
    silent: true,
    x,
    y,
    style: { text: value, fill: look.muted, font: "11px sans-serif", align, verticalAlign: "middle" },
  });
  const children: Shape[] = [text(area.x, area.y + 10, "load, a share of bandwidth × step:")];
  const start = area.x + 200;
  look.loads.forEach((color, at) => {
    const width = 1.2 + (4.3 * (at + 1)) / look.loads.length;
    const x = start + at * 96;
    children.push({
      type: "line",
      silent: true,
      shape: { x1: x, y1: area.y + 10, x2: x + 22, y2: area.y + 10 },
      style: { stroke: color, lineWidth: width },
    });
    children.push(text(x + 27, area.y + 10, `≤ ${percent(((at + 1) / look.loads.length) * most)}`));
  });
  const x = start + look.loads.length * 96;
  children.push({
    type: "line",
    silent: true,
    shape: { x1: x, y1: area.y + 10, x2: x + 22, y2: area.y + 10 },
    style: { stroke: look.muted, lineWidth: 0.8, lineDash: [2, 3] },
  });
  children.push(text(x + 27, area.y + 10, "unused"));
  return { type: "group", children };
}

function linkFigures(machine: Machine, link: number): HTMLElement {
  const { links } = machine;
  const pairs: [string, string][] = [
    ["kind", words(links.kind[link])],
    ["bandwidth", bytesPerSecond(links.bytes_per_second[link])],
    ["load", percent(links.load_share[link])],
    ["carried", bytes(links.carried_bytes[link])],
    ["busy", seconds(links.busy_s[link])],
  ];
  if (links.back_name[link]) {
    pairs.push(
      ["carried back", bytes(links.back_carried_bytes[link])],
      ["busy back", seconds(links.back_busy_s[link])],
    );
  }
  return figures(shorten(links.name[link], 80), pairs);
}

function nodeFigures(machine: Machine, node: number): HTMLElement {
  const touching = indices(machine.links.name.length).filter(
    (link) => machine.links.from[link] === node || machine.links.to[link] === node,
  );
  return figures(shorten(machine.nodes.name[node], 80), [
    ["kind", words(machine.nodes.kind[node])],
    ["links", String(touching.length)],
    ["its busiest link", percent(largest(touching.map((link) => machine.links.load_share[link])))],
  ]);
}

type WithMachine = (Run | Collective) & Result;

export const machine: Chart<WithMachine> = {
  slug: "machine",
  short: "Machine and links",
  title: (result) =>
    result.kind === "collective"
      ? "The machine, and the load of each link by the collective"
      : "The machine, and the load of each link in one step",
  explain(result) {
    const { caption, left_out } = result.machine!;
    const closes =
      isTorus(result.machine!) && result.machine!.links.wraps.some(Boolean)
        ? "Lines that leave the drawing close a ring at its other side. "
        : "";
    const of =
      result.kind === "collective" && result.load_of ? sentence(`Loads are of ${result.load_of}`) + " " : "";
    return `${sentence(caption)} ${closes}${of}${left_out ? sentence(`Not drawn: ${left_out}`) : ""}`;
  },
  applies: (result) => (result.machine?.nodes.name.length ?? 0) > 0,
  height(result) {
    const box = bounds(result.machine!);
    const unit = Math.min(900 / (box.right - box.left), 96);
    return Math.round(
      Math.min(Math.max(190, legendHeight + 12 + Math.max(unit, 30) * (box.bottom - box.top)), 720),
    );
  },
  option(result, look) {
    const data = result.machine!;
    const area = (params: { coordSys: Area }) => params.coordSys;
    const draw = (name: string, count: number, shape: (at: number, area: Area) => Shape, z: number) => ({
      type: "custom",
      name,
      z,
      data: indices(count).map((at) => [at, 0]),
      encode: { x: -1, y: -1 },
      renderItem: ((params: { coordSys: Area; dataIndex: number }) =>
        shape(params.dataIndex, area(params))) as never,
    });
    const hidden = { show: false, min: 0, max: 1 };
    return {
      ...base(look),
      grid: { left: 8, right: 8, top: 4, bottom: 4 },
      xAxis: hidden,
      yAxis: hidden,
      tooltip: tooltip(look, ((item: { seriesName: string; dataIndex: number }) =>
        item.seriesName === "links"
          ? linkFigures(data, item.dataIndex)
          : item.seriesName === "nodes"
            ? nodeFigures(data, item.dataIndex)
            : "") as never),
      series: [
        draw("frames", data.machines.name.length, (at, place) => drawFrame(data, at, look, place), 1),
        draw("links", data.links.name.length, (at, place) => drawLink(data, at, look, place), 2),
        draw("nodes", data.nodes.name.length, (at, place) => drawNode(data, at, look, place), 3),
        draw("legend", 1, (_, place) => drawLegend(data, look, place), 4),
      ],
    };
  },
  table(result) {
    const { links } = result.machine!;
    const size = (title: string) => ({
      title,
      numeric: true,
      show: (value: unknown) => bytes(value as number),
    });
    const time = (title: string) => ({
      title,
      numeric: true,
      show: (value: unknown) => seconds(value as number),
    });
    return {
      columns: [
        { title: "link" },
        { title: "kind" },
        { title: "bandwidth", numeric: true, show: (value) => bytesPerSecond(value as number) },
        { title: "load", numeric: true, show: (value) => percent(value as number) },
        size("carried"),
        size("carried back"),
        time("busy"),
        time("busy back"),
      ],
      rows: indices(links.name.length).map((at) => [
        links.name[at],
        words(links.kind[at]),
        links.bytes_per_second[at],
        links.load_share[at],
        links.carried_bytes[at],
        links.back_carried_bytes[at],
        links.busy_s[at],
        links.back_busy_s[at],
      ]),
    };
  },
};
