// Elements without markup: text enters a page only as text.

type Child = Node | string | null | undefined;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

export function button(label: string, act: () => void, title = label): HTMLButtonElement {
  const made = element("button", { type: "button", title }, label);
  made.addEventListener("click", act);
  return made;
}
