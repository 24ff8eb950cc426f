import { draw } from "../player/draw/jsx-runtime.ts";
import { translate } from "./browser-translator.ts";

/** Runs in the browser: lists and fields drawn by the player's renderer, for tests of what stays and what changes. */

export interface DrawnParts {
  /** list items by their keys, in this order */
  items: string[];
  note?: string;
  value?: string;
  checked?: boolean;
  /** what a click on the button reports; nothing if omitted */
  says?: string;
  /** items of a list without keys, before the fields */
  lines?: string[];
  /** items of the second list, which has the same keys as the first */
  others?: string[];
  /** styles of the element, and whether it is focusable */
  look?: Record<string, string>;
}

declare global {
  interface Window {
    translatePage(): void;
    heard: string[];
    arrived: string[];
    drawParts(parts: DrawnParts): void;
  }
}

window.translatePage = () => translate(document.body);
window.heard = [];
window.arrived = [];
window.drawParts = ({ items, note, value = "", checked = false, says, lines = [], others = [], look }) => {
  const place = document.querySelector<HTMLElement>("#place");
  if (place === null) throw new Error("there is no place to draw in");
  draw(
    <form onClickCapture={() => window.heard.push("capture")} {...(look && { style: look, tabIndex: -1, lang: "de" })}>
      {note !== undefined && <p class="note">{note}</p>}
      <ul>
        {items.map((item) => (
          <li key={item} ref={(place) => window.arrived.push(place.textContent ?? "")}>
            {item}
          </li>
        ))}
      </ul>
      <ol>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
        {others.map((item) => (
          <li key={item}>other {item}</li>
        ))}
      </ol>
      {lines}
      <input type="text" name="text" value={value} aria-invalid={value === "" ? undefined : "true"} />
      <input type="checkbox" name="box" checked={checked} />
      <select name="one" value={value}>
        <option value="">none</option>
        <option value="b">b</option>
      </select>
      <button type="button" {...(says !== undefined && { onClick: () => window.heard.push(says) })}>
        say {says} {1}
      </button>
    </form>,
    place,
  );
};
