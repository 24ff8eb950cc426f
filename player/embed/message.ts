import css from "../style/message.css?inline";
import { sheetOf } from "../style/sheet.ts";

/** What stands in the place of a quiz that cannot be drawn: a sentence, and a button where trying again may help. */

interface Message {
  text: string;
  role: "alert" | "status";
  lang: string;
  dir: string;
  button?: { text: string; press: () => void };
}

export function drawMessage(root: ShadowRoot, { text, role, lang, dir, button }: Message): void {
  const box = document.createElement("div");
  box.className = "unshown";
  Object.assign(box, { lang, dir });
  box.setAttribute("role", role);
  const sentence = document.createElement("p");
  sentence.append(text);
  box.append(sentence);
  if (button) {
    const control = document.createElement("button");
    control.type = "button";
    control.append(button.text);
    control.addEventListener("click", button.press);
    box.append(control);
  }
  const sheet = sheetOf(css);
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
  root.replaceChildren(box);
}
