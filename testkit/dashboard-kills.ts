import type { Page } from "playwright-core";
import { createRandom } from "../demo/random.ts";
import type { DashboardPage } from "./dashboard.ts";

/** Editor tabs that are killed while somebody types [editor.killed-tab]. */

interface Kill {
  letters: number;
  /** ms between two letters */
  pace: number;
  /** how the server answers the editor's requests */
  server: "at once" | "late" | "never";
}

export interface Killed extends Kill {
  /** how long before the kill the first lost letter was typed, in ms; 0: none was lost */
  lostMs: number;
  /** text found afterwards that nobody typed */
  strange: string | null;
}

/** Kills of tabs with few or many letters, typed slowly or fast, while the server answers in one of three ways. */
export function plannedKills(seed: number, count: number): Kill[] {
  const { next } = createRandom(seed);
  const servers = ["at once", "late", "never"] as const;
  return Array.from({ length: count }, (_, at) => ({
    letters: 5 + Math.floor(next() * 45),
    pace: 15 + Math.floor(next() * 75),
    server: servers[at % servers.length] ?? "at once",
  }));
}

/** @param url a quiz's editor; the title of its first page is typed into */
export async function killTabs(on: DashboardPage, url: string, kills: readonly Kill[]): Promise<Killed[]> {
  const context = on.page.context();
  const killed: Killed[] = [];
  let server: Kill["server"] = "at once";
  await context.route("**/draft", async (route) => {
    const isSent = route.request().method() === "PUT";
    if (isSent && server === "never") return route.abort();
    if (isSent && server === "late") await pause(lateMs);
    await route.continue().catch(() => undefined);
  });
  let tab = on.page;
  let before = await titleIn(tab, url);
  for (const [at, kill] of kills.entries()) {
    ({ server } = kill);
    const typed = await typeUntilKilled(tab, kill, `${at} `);
    server = "at once";
    tab = await context.newPage();
    const found = await titleIn(tab, url);
    killed.push({ ...kill, ...lossOf(typed, found, before) });
    before = found;
  }
  return killed;
}

const lateMs = 1_500;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const titleField = (tab: Page) => tab.getByLabel("Title", { exact: true });

async function titleIn(tab: Page, url: string): Promise<string> {
  await tab.goto(url);
  await tab.locator("[data-row]").first().click();
  return titleField(tab).inputValue();
}

interface Typed {
  letters: { letter: string; at: number }[];
  killedAt: number;
}

async function typeUntilKilled(tab: Page, { letters: count, pace }: Kill, begins: string): Promise<Typed> {
  await titleField(tab).fill("");
  const letters: Typed["letters"] = [];
  for (let n = 0; n < begins.length + count; n += 1) {
    const letter = begins[n] ?? String.fromCharCode(97 + (n % 26));
    await tab.keyboard.type(letter, { delay: pace });
    letters.push({ letter, at: performance.now() });
  }
  const session = await tab.context().newCDPSession(tab);
  const crashed = tab.waitForEvent("crash");
  const killedAt = performance.now();
  // a killed tab does not answer
  session.send("Page.crash").catch(() => undefined);
  await crashed;
  return { letters, killedAt };
}

function lossOf({ letters, killedAt }: Typed, found: string, before: string): Pick<Killed, "lostMs" | "strange"> {
  const typed = letters.map(({ letter }) => letter).join("");
  const isKnown = typed.startsWith(found) || found === before;
  if (!isKnown) return { lostMs: 0, strange: found };
  const kept = typed.startsWith(found) ? found.length : 0;
  const lost = letters[kept];
  return { lostMs: lost ? Math.round(killedAt - lost.at) : 0, strange: null };
}
