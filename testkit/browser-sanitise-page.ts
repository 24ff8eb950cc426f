import { allowedAttributes, allowedElements } from "../player/sanitise/allowed.ts";
import { purify } from "../player/sanitise/purify.ts";
import { hardened, sanitisedByBrowser } from "../player/sanitise/sanitise.ts";

/** Runs in the browser: shows sanitised HTML in a shadow root, and reports the effects. */

declare global {
  interface Window {
    vectorsRan: number;
    hasOwnSanitiser(): boolean;
    showSanitised(
      html: string,
      way: "own" | "purify",
    ): Promise<{ found: { name: string; attributes: [string, string][] }[]; text: string; ran: boolean }>;
  }
}

const root = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
window.vectorsRan = 0;
const ran = () => {
  window.vectorsRan += 1;
};
for (const name of ["alert", "confirm", "prompt", "print"]) Reflect.set(window, name, ran);

window.hasOwnSanitiser = () => sanitisedByBrowser("") !== null;
window.showSanitised = async (html, way) => {
  const before = window.vectorsRan;
  const made =
    way === "own" ? sanitisedByBrowser(html) : purify(html, allowedElements, Object.values(allowedAttributes).flat());
  if (made === null) throw new Error("this browser has no sanitiser of its own");
  root.replaceChildren(hardened(made));
  for (const link of root.querySelectorAll("a")) link.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
  await new Promise((resolve) => setTimeout(resolve));
  const found = [...root.querySelectorAll("*")].map((element) => ({
    name: element.localName,
    attributes: [...element.attributes].map(({ name, value }): [string, string] => [name, value]),
  }));
  return { found, text: root.textContent ?? "", ran: window.vectorsRan > before };
};
