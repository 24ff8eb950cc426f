import { Component, type ComponentChildren } from "preact";
import type { Stage } from "./stage.ts";

/**
 * A page's title. It has the focus after each turn of a page, so that readers and keys go on from there.
 * Whatever is drawn anew has a new one: pages of the document, the end, and what is asked first.
 */
export class Heading extends Component<{ stage: Stage; children: ComponentChildren }> {
  private title: HTMLElement | null = null;

  override componentDidMount(): void {
    const { stage } = this.props;
    stage.here.isNew = true;
    if (stage.focuses) {
      this.title?.focus({ preventScroll: true });
      this.title?.scrollIntoView({ block: "nearest" });
    }
    stage.focuses = true;
  }

  override render() {
    const keep = (title: HTMLElement | null): void => {
      this.title = title;
    };
    return (
      <h2 ref={keep} tabIndex={-1}>
        {this.props.children}
      </h2>
    );
  }
}
