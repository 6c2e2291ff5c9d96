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
