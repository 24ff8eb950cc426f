import type { Locator, Page } from "playwright-core";

/** Ways in which an author operates the screen; their presses are counted. */
export interface Hand {
  presses: number;
  keys: number;
  press(target: Locator): Promise<void>;
  write(text: string): Promise<void>;
  key(name: string): Promise<void>;
  /** an option of a select */
  choose(target: Locator, label: string): Promise<void>;
}

export function mouse(page: Page): Hand {
  return {
    presses: 0,
    keys: 0,
    async press(target) {
      await target.click();
      this.presses += 1;
    },
    async write(text) {
      await page.keyboard.type(text);
      this.keys += text.length;
    },
    async key(name) {
      await page.keyboard.press(name);
      this.keys += 1;
    },
    async choose(target, label) {
      await target.selectOption({ label });
      this.presses += 2;
    },
  };
}

export function keyboard(page: Page): Hand {
  const hand: Hand = {
    ...mouse(page),
    async press(target) {
      await reach(target);
      if (await target.evaluate((element) => element.matches("input:not([type=checkbox]),textarea"))) return;
      await page.keyboard.press(
        await target.evaluate((element) => (element.matches("[type=checkbox]") ? "Space" : "Enter")),
      );
      hand.presses += 1;
    },
    async choose(target, label) {
      await reach(target);
      const steps = await target.evaluate((element, wanted) => {
        const { options, selectedIndex } = element as HTMLSelectElement;
        return [...options].findIndex((one) => one.label === wanted) - selectedIndex;
      }, label);
      for (let step = 0; step < Math.abs(steps); step += 1)
        await page.keyboard.press(steps > 0 ? "ArrowDown" : "ArrowUp");
      hand.presses += Math.abs(steps);
    },
  };
  /** By Tab or Shift and Tab, or by arrow keys in a menu, as often as necessary. */
  async function reach(target: Locator): Promise<void> {
    await target.waitFor();
    // looking a name up in the whole screen takes longer than the key
    let element = await target.elementHandle();
    for (let tries = 0; tries < 400; tries += 1) {
      const where = await element?.evaluate(keyTowards);
      if (where === "here") return;
      if (where) {
        await page.keyboard.press(where);
        hand.presses += 1;
      } else element = await target.elementHandle();
    }
    throw new Error(`no key leads to ${target}`);
  }
  return hand;
}

/** The key that leads from what has the focus towards an element; null: it was drawn anew. */
function keyTowards(element: Element): string | null {
  const { activeElement: at } = document;
  if (!element.isConnected) return null;
  if (at === element) return "here";
  if (element.getAttribute("role") === "menuitem") return "ArrowDown";
  if (element.getAttribute("role") === "tab" && at?.getAttribute("role") === "tab") return "ArrowRight";
  return at && at.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING ? "Shift+Tab" : "Tab";
}
