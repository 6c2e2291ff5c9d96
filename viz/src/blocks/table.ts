// A table whose columns sort on a click or the Enter key, and which shows a page of rows at a time, so that a
// table of 20,000 bars costs no more than one of 50.
import type { Table } from "../charts/chart";
import { indices } from "../data/columns";
import { number } from "../text/quantity";
import { shorten } from "../text/shorten";
import { button, element } from "./element";

const rowsAtOnce = 50;

function text(table: Table, column: number, value: unknown): string {
  if (value === null || value === undefined) return "–";
  const { show, numeric } = table.columns[column];
  if (show) return show(value);
  return numeric && typeof value === "number" ? number(value, 6) : String(value);
}

function compare(a: unknown, b: unknown): number {
  if (a === null || a === undefined) return 1; // Missing values stand last in either direction.
  if (b === null || b === undefined) return -1;
  return typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });
}

function sorted(table: Table, column: number, descending: boolean): number[] {
  const present = (row: number) => table.rows[row][column] !== null && table.rows[row][column] !== undefined;
  return indices(table.rows.length).sort((a, b) => {
    const order = compare(table.rows[a][column], table.rows[b][column]);
    return present(a) && present(b) && descending ? -order : order;
  });
}

export function tableElement(table: Table, caption: string): HTMLElement {
  let order = indices(table.rows.length);
  let sortedBy = -1;
  let descending = false;
  let page = 0;
  const isWide = table.columns.length > 12;
  const body = element("tbody");
  const place = element("span", { class: "place", "aria-live": "polite" });
  const heads = table.columns.map((column, at) => {
    const head = element("th", { scope: "col", class: column.numeric ? "number" : "", "aria-sort": "none" });
    head.append(button(column.title, () => sortBy(at), `Sort by ${column.title}`));
    return head;
  });

  function draw() {
    body.replaceChildren(
      ...order.slice(page * rowsAtOnce, (page + 1) * rowsAtOnce).map((row) => {
        const line = element("tr");
        table.rows[row].forEach((value, column) => {
          const shown = text(table, column, value);
          const cell = element(
            "td",
            { class: table.columns[column].numeric ? "number" : shown.length <= 26 ? "brief" : "long" },
            shorten(shown, 160),
          );
          if (shown.length > (isWide ? 28 : 160)) cell.title = shown;
          line.append(cell);
        });
        return line;
      }),
    );
    const pages = Math.max(1, Math.ceil(order.length / rowsAtOnce));
    place.textContent = `rows ${order.length ? page * rowsAtOnce + 1 : 0} to ${Math.min(order.length, (page + 1) * rowsAtOnce)} of ${number(order.length, 9)}`;
    for (const [control, allowed] of [
      [back, page > 0],
      [next, page < pages - 1],
    ] as const)
      control.disabled = !allowed;
  }
  function sortBy(column: number) {
    descending = sortedBy === column ? !descending : false;
    sortedBy = column;
    order = sorted(table, column, descending);
    page = 0;
    heads.forEach((head, at) =>
      head.setAttribute("aria-sort", at === column ? (descending ? "descending" : "ascending") : "none"),
    );
    draw();
  }
  const back = button(
    "previous",
    () => {
      page -= 1;
      draw();
    },
    "Previous rows",
  );
  const next = button(
    "next",
    () => {
      page += 1;
      draw();
    },
    "Next rows",
  );
  const scroll = element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element(
      "table",
      {},
      element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {}, ...heads)),
      body,
    ),
  );
  draw();
  const pager = table.rows.length > rowsAtOnce ? element("div", { class: "pager" }, back, next, place) : null;
  return element("div", { class: isWide ? "table wide" : "table" }, scroll, pager);
}

// RFC 4180, with numbers at their full precision. A cell that a spreadsheet would take for a formula is
// marked as text, as OWASP's "CSV Injection" advises.
export function csv(table: Table): string {
  const cell = (value: unknown): string => {
    if (value === null || value === undefined) return "";
    const plain = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  const rows = [table.columns.map(({ title }) => title), ...table.rows];
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
