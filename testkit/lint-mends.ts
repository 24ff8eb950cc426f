import type { Page } from "playwright-core";

/** What somebody does in the editor to a field that has the focus. */

export const write =
  (words: string) =>
  async ({ keyboard }: Page): Promise<void> => {
    await keyboard.press("Control+a");
    if (words === "") await keyboard.press("Delete");
    else await keyboard.type(words);
    await keyboard.press("Tab");
  };
export const press =
  (key: string) =>
  ({ keyboard }: Page): Promise<void> =>
    keyboard.press(key);
export const click =
  (name: string | RegExp) =>
  (on: Page): Promise<void> =>
    on.getByRole("button", { name }).first().click();
/** In the focused select, or in another one. */
export const choose =
  (label: string | { index: number }, field = ":focus") =>
  async (on: Page): Promise<void> => {
    const select = on.locator(field);
    await select.selectOption(typeof label === "string" ? { label } : label);
  };
