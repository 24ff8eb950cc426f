import fc from "fast-check";
import { expect, it } from "vitest";
import { contactStates } from "./contact-states.ts";
import type { ContactCapture } from "./state.ts";

interface Answer {
  id: string;
  seq: number;
  component_key: string;
  /** null: cleared */
  value: string | null;
}

const contact = ({ id, seq, component_key, value }: Answer, current: boolean): ContactCapture => ({
  ...{ component_key, page_key: "contact", kind: "email", value: value ?? "", identity: value, consent: null },
  ...{ time: seq, seq, event_id: id, current },
});

/** What a session has after these answers and no other. */
const after = (answers: readonly Answer[]): ContactCapture[] =>
  answers.flatMap((answer, place) => {
    const isOvertaken = answers.slice(place + 1).some((later) => later.component_key === answer.component_key);
    return answer.value === null ? [] : [contact(answer, !isOvertaken)];
  });

const answers = fc
  .array(
    fc.record({ component_key: fc.constantFrom("mail", "second", "tel"), value: fc.constantFrom(null, "a", "b") }),
    {
      minLength: 1,
      maxLength: 9,
    },
  )
  .map((all) => all.map((answer, seq): Answer => ({ ...answer, seq, id: `evt_${seq}` })));

it("are what the session would have had after each answer, had they come one by one [people.any-arrival]", () => {
  fc.assert(
    fc.property(answers, fc.nat(8), (all, known) => {
      const before = all.slice(0, Math.min(known, all.length - 1));
      const came = all.slice(before.length);
      const held = new Set(after(before).flatMap(({ current, event_id }) => (current ? [event_id] : [])));
      const states = contactStates(after(all), came.toReversed(), held);
      expect(states).toEqual(came.map((_, place) => after([...before, ...came.slice(0, place + 1)])));
    }),
    { numRuns: 1_000 },
  );
});
