import { openKeeper } from "../player/keep/open-keeper.ts";
import type { Keeper, KeeperDeps, KeeperFault } from "../player/keep/types.ts";
import type { SavedRun } from "../player/run/types.ts";
import type { FakeTab } from "./shopper-browsers.ts";

/** The player's keepers in a simulated browser, for tests of what they store and send. */

export const keeperFacts = {
  quiz_id: `quiz_${"1".repeat(32)}`,
  version_id: `ver_${"1".repeat(32)}`,
  channel: "online_store",
};

/** `faults`: reported faults, as `kind reason`. */
export async function openedKeeper(
  tab: FakeTab,
  { session = {}, ...more }: Partial<Omit<KeeperDeps, "session">> & { session?: Partial<KeeperDeps["session"]> } = {},
): Promise<{ keeper: Keeper; faults: string[] }> {
  const keeper = await openKeeper({
    browser: tab.browser(),
    url: "https://api.example/storefront/v1/events",
    store: "pub_1",
    session: { ...keeperFacts, ...session },
    consent: true,
    ...more,
  });
  const faults: string[] = [];
  keeper.onFault(({ kind, reason }: KeeperFault) => faults.push(`${kind} ${reason}`));
  return { keeper, faults };
}

export const savedOn = (page_key: string): SavedRun => ({
  page_key,
  trail: [],
  entered: [page_key],
  answers: [],
  consents: [],
  skipped: [],
  shown: [],
  finishes: [],
  finished: false,
  ended: false,
  progress: 0,
});

/** Saves an answer, together with the run's resulting state. */
export function say(keeper: Keeper, value: string | number): void {
  keeper.add({ type: "answer_saved", page_key: "p", component_key: "c", value });
  keeper.save(savedOn("p"));
}
