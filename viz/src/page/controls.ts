// Selects by which a reader chooses a view.
import { element } from "../blocks/element";
import { chosen, type Control, type View } from "../data/view";

export function controlsElement(controls: Control[], view: View, onChange: () => void): HTMLElement {
  return element(
    "div",
    { class: "controls" },
    ...controls.map((control) => {
      const current = chosen(view, control);
      const select = element("select", { "data-control": control.key });
      for (const { value, label } of control.choices) {
        const option = element("option", { value }, label);
        option.selected = value === current;
        select.append(option);
      }
      select.addEventListener("change", () => {
        view[control.key] = select.value;
        onChange();
      });
      return element("label", {}, element("span", {}, control.label), select);
    }),
  );
}

// Redrawn controls keep the focus, so that a reader who uses the keyboard stays where they were.
export function replaceControls(place: HTMLElement, controls: Control[], view: View, onChange: () => void) {
  const focused = (document.activeElement as HTMLElement | null)?.dataset?.control;
  place.replaceChildren(controlsElement(controls, view, onChange));
  if (focused && place.isConnected)
    place.querySelector<HTMLElement>(`[data-control="${CSS.escape(focused)}"]`)?.focus();
}
