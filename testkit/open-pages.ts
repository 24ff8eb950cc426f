/** The pages that tests have open, so that a failed test can say what was on the screen. */

interface OpenPage {
  describe(): Promise<string>;
  close(): Promise<void>;
}

const open = new Set<OpenPage>();

/** @returns a function that forgets the page */
export function keepPage(page: OpenPage): () => void {
  open.add(page);
  return () => void open.delete(page);
}

export const describeOpenPages = (): Promise<string[]> => Promise.all([...open].map((page) => page.describe()));

/** Closes what failed tests left open, which would take time from the tests of other files. */
export async function closeOpenPages(): Promise<void> {
  for (const page of open) {
    open.delete(page);
    await page.close();
  }
}
