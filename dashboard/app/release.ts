/** Errors for parts of the dashboard that could not be loaded, and why [dashboard.late-parts]. */

/**
 * `away`: the server did not respond; `older`: the page is of another release than the server, with other parts;
 * `lost`: same release and the server responds, yet the part did not load.
 */
export type WhyMissing = "away" | "older" | "lost";

export class PartMissing extends Error {
  readonly why: WhyMissing;

  constructor(why: WhyMissing, cause: unknown) {
    super("a part of the dashboard could not be fetched", { cause });
    this.why = why;
  }
}

/** The page that the server serves now; null: the server is away, or cannot serve it. */
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

/** Does nothing while the server is away: the reload would fail and the page would be lost. */
export async function loadAgain(): Promise<void> {
  if ((await pageOfToday()) !== null) location.reload();
}

export async function fetched<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    // not the browser's own error, on which the router would reload the page by itself
    throw new PartMissing(await whyMissing(), cause);
  }
}
