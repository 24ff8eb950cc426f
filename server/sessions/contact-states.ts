import { comparePlaces, type KeptEventOf, type Place } from "./kept-event.ts";
import type { ContactCapture } from "./state.ts";

/** An answer to a question for a contact, cleared ones included. */
type ContactAnswer = Pick<KeptEventOf<"answer_saved">, keyof Place | "component_key">;

/**
 * The contacts of a session after each of several answers that arrived together, as if they had arrived one by one
 * [people.any-arrival]: the last state is the current one.
 *
 * @param contacts all of the session, in `seq` order
 * @param answers the new ones, all of them after the earlier answers by `seq`
 * @param heldBefore event ids of the contacts that were in force before the new answers
 */
export function contactStates(
  contacts: readonly ContactCapture[],
  answers: readonly ContactAnswer[],
  heldBefore: ReadonlySet<string>,
): ContactCapture[][] {
  const ordered = answers.toSorted(comparePlaces);
  const places = new Map(ordered.map(({ id }, place) => [id, place]));
  // filled from last to first: by question, the index of the next answer to it
  const next = new Map<string, number>();
  const overtakenAt = new Map<string, number>();
  for (const [place, { id, component_key }] of [...ordered.entries()].reverse()) {
    overtakenAt.set(id, next.get(component_key) ?? ordered.length);
    next.set(component_key, place);
  }
  const spans = contacts.map((contact) => {
    const { event_id, component_key } = contact;
    const place = places.get(event_id);
    const from = place ?? (heldBefore.has(event_id) ? -1 : ordered.length);
    const until = place === undefined ? (next.get(component_key) ?? ordered.length) : (overtakenAt.get(event_id) ?? 0);
    return { contact, came: place ?? -1, from, until };
  });
  return ordered.map((_, last) =>
    spans
      .filter(({ came }) => came <= last)
      .map(({ contact, from, until }) => ({ ...contact, current: from <= last && last < until })),
  );
}
