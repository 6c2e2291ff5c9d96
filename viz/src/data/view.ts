// What a reader chose: a value for each control. All charts of one result share one view.
export type View = Record<string, string>;

export interface Control {
  key: string;
  label: string;
  choices: { value: string; label: string }[];
  initial: string;
}

export function chosen(view: View, control: Control): string {
  const value = view[control.key];
  return control.choices.some((choice) => choice.value === value) ? value : control.initial;
}

// The part of a drawing from 0 to `end` that the reader zoomed to. It is kept under the name of the drawing.
export function shownWindow(view: View, name: string, end: number): [number, number] {
  const from = Number(view[`${name}.from`] ?? 0);
  const to = Number(view[`${name}.to`] ?? end);
  return from >= 0 && to > from ? [from, Math.min(to, end)] : [0, end];
}
