import { type RichHtml, richHtml } from "../dashboard/editor/parts/rich-html.ts";

/** Runs in the browser: the editor's conversion of HTML. */

declare global {
  interface Window {
    richHtmlOf(html: string): RichHtml;
    vectorsRan: number;
  }
}

window.vectorsRan = 0;
const ran = () => {
  window.vectorsRan += 1;
};
for (const name of ["alert", "confirm", "prompt", "print"]) Reflect.set(window, name, ran);
window.richHtmlOf = (html) => {
  const made = richHtml(html);
  document.body.innerHTML = made.html;
  return made;
};
