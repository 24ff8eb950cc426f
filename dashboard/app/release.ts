/** Parts of the dashboard that could not be fetched, and why [dashboard.late-parts]. */

/**
 * `away`: the server did not answer at all; `older`: it has another release than this page is of, with other parts; `lost`: it
 * is of this release and answers, and the part still did not come.
 */
export type WhyMissing = "away" | "older" | "lost";

export class PartMissing extends Error {
  readonly why: WhyMissing;

  constructor(why: WhyMissing, cause: unknown) {
    super("a part of the dashboard could not be fetched", { cause });
    this.why = why;
  }
}

/** The page as the server has it now; null: it is away, or cannot show it. */
async function pageOfToday(): Promise<string | null> {
  try {
    const answer = await fetch("/dashboard", { cache: "no-store" });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

async function whyMissing(): Promise<WhyMissing> {
  const today = await pageOfToday();
  if (today === null) return "away";
  const own = document.querySelector("script[type=module][src]")?.getAttribute("src");
  return today.includes(`src="${own}"`) ? "lost" : "older";
}

/** Not while the server is away: nothing would be left of the page. */
export async function loadAgain(): Promise<void> {
  if ((await pageOfToday()) !== null) location.reload();
}

export async function fetched<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    // not the browser's error: at that the router would load the page anew by itself
    throw new PartMissing(await whyMissing(), cause);
  }
}
