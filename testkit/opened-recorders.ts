import { openRecorder } from "../player/record/open-recorder.ts";
import type { RecorderDeps, RecorderFault, SessionFacts, SessionRecorder } from "../player/record/types.ts";
import type { SavedRun } from "../player/run/types.ts";
import type { FakeTab } from "./shopper-browsers.ts";

/** The player's recorders in a simulated browser, for tests of what they store and send. */

export const recorderFacts = {
  quiz_id: `quiz_${"1".repeat(32)}`,
  version_id: `ver_${"1".repeat(32)}`,
  channel: "online_store",
};

/** `faults`: reported faults, as `kind reason`. */
export async function openedRecorder(
  tab: FakeTab,
  { session = {}, ...more }: Partial<Omit<RecorderDeps, "facts">> & { session?: Partial<SessionFacts> } = {},
): Promise<{ recorder: SessionRecorder; faults: string[] }> {
  const recorder = await openRecorder({
    browser: tab.browser(),
    url: "https://api.example/storefront/v1/events",
    store: "pub_1",
    facts: () => ({ ...recorderFacts, ...session }),
    consent: true,
    ...more,
  });
  const faults: string[] = [];
  recorder.onFault(({ kind, reason }: RecorderFault) => faults.push(`${kind} ${reason}`));
  return { recorder, faults };
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
export function say(recorder: SessionRecorder, value: string | number): void {
  recorder.add({ type: "answer_saved", page_key: "p", component_key: "c", value });
  recorder.save(savedOn("p"));
}
