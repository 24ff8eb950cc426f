/** @jsxImportSource #draw */
import { draw } from "../draw/jsx-runtime.ts";
import css from "../style/message.css?inline";
import { sheetOf } from "../style/sheet.ts";

/** Shown instead of a quiz that cannot be drawn: a sentence, and a button if trying again may help. */

interface Message {
  text: string;
  role: "alert" | "status";
  lang: string;
  dir: string;
  button?: { text: string; press: () => void };
}

export function drawMessage(root: ShadowRoot, { text, role, lang, dir, button }: Message): void {
  const box = document.createElement("div");
  draw(
    <div class="unshown" role={role} lang={lang} dir={dir}>
      <p>{text}</p>
      {button && (
        <button type="button" onClick={button.press}>
          {button.text}
        </button>
      )}
    </div>,
    box,
  );
  const sheet = sheetOf(css);
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
  root.replaceChildren(box);
}
