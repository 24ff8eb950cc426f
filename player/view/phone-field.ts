import type { Page } from "../../engine/document.ts";
import type { Phones, Stage } from "./stage.ts";

/** For when there is nothing to read a number by: a wrong one is better than a shopper who cannot go on. */
const asTyped: Phones = { read: (_stage, _component, value) => ({ value }), Country: () => null };

/** Loads what fields for phones need if one of the pages has such a field; null: it has none, or all is there. */
export function phonesFor(stage: Stage, pages: readonly (Page | null | undefined)[]): Promise<void> | null {
  if (stage.phones || !pages.some((page) => page?.components.some(({ kind }) => kind === "phone"))) return null;
  stage.phonesComing ??= stage.options
    .loadPhones()
    .catch(() => asTyped)
    .then((phones) => {
      stage.phones = phones;
      stage.drawAgain();
    });
  return stage.phonesComing;
}
