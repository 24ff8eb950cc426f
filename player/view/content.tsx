import { Component } from "preact";
import type { FormulaComponent } from "../../engine/document.ts";
import { prepareSanitiser, sanitise } from "../sanitise/sanitise.ts";
import style from "../style/content.css?inline";
import type { Stage } from "./stage.ts";
import { writeNumber } from "./write-number.ts";

/** A document's HTML, made harmless. */
export class Content extends Component<{ stage: Stage; html: string }> {
  private place: HTMLElement | null = null;

  override componentDidMount(): void {
    this.show();
  }

  async show(): Promise<void> {
    const { stage, html } = this.props;
    const found = await sanitise(html);
    for (const link of found.querySelectorAll<HTMLAnchorElement>('a[target="_blank"]')) {
      link.append(unseen(` (${stage.texts.new_tab})`));
    }
    this.place?.replaceChildren(found);
  }

  override render() {
    const keep = (place: HTMLElement | null): void => {
      this.place = place;
    };
    return <div ref={keep} class="content" />;
  }
}

function unseen(text: string): HTMLSpanElement {
  const span = document.createElement("span");
  span.className = "unseen";
  span.textContent = text;
  return span;
}

/** A formula's value; nothing where it has none. */
export function Fact({ stage, component }: { stage: Stage; component: FormulaComponent }) {
  const value = stage.view.formulas.get(component.component_key) ?? null;
  if (value === null) return null;
  return (
    <p class="fact">
      <span>{component.label}</span> <output>{writeNumber(Math.round(value * 1000) / 1000, stage.locale)}</output>
    </p>
  );
}

export { prepareSanitiser, style };
