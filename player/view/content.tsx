/** @jsxImportSource #draw */
import type { FormulaComponent } from "../../engine/document.ts";
import { sanitise } from "../sanitise/sanitise.ts";
import type { Stage } from "./stage.ts";
import { writeNumber } from "./write-number.ts";

/** A document's HTML, sanitised. */
export function Content({ stage, html }: { stage: Stage; html: string }) {
  const show = async (place: HTMLElement): Promise<void> => {
    const found = await sanitise(html);
    for (const link of found.querySelectorAll<HTMLAnchorElement>('a[target="_blank"]')) {
      link.append(unseen(` (${stage.texts.new_tab})`));
    }
    place.replaceChildren(found);
  };
  return <div ref={show} class="content" />;
}

function unseen(text: string): HTMLSpanElement {
  const span = document.createElement("span");
  span.className = "unseen";
  span.textContent = text;
  return span;
}

/** A formula's value; renders nothing if it has none. */
export function Fact({ stage, component }: { stage: Stage; component: FormulaComponent }) {
  const value = stage.view.formulas.get(component.component_key) ?? null;
  if (value === null) return null;
  return (
    <p class="fact">
      <span>{component.label}</span> <output>{writeNumber(Math.round(value * 1000) / 1000, stage.locale)}</output>
    </p>
  );
}
