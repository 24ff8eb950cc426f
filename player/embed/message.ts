/** What stands in the place of a quiz that cannot be drawn: a sentence, and a button where trying again may help. */

const css = `
.unshown { box-sizing: border-box; padding: 2rem 1.25rem; max-width: 40rem; margin-inline: auto; text-align: center; font: inherit; line-height: 1.5 }
.unshown p { margin: 0 0 1rem; white-space: pre-line }
.unshown button { font: inherit; color: inherit; background: transparent; border: 1px solid currentColor; border-radius: 8px; min-height: 44px; padding: 0 1.25rem; cursor: pointer }
.unshown button:focus-visible { outline: 3px solid; outline-offset: 2px }
`;

let sheet: CSSStyleSheet | null = null;

function messageSheet(): CSSStyleSheet {
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}

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
  if (!root.adoptedStyleSheets.includes(messageSheet())) root.adoptedStyleSheets.push(messageSheet());
  root.replaceChildren(box);
}
