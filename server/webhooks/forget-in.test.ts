import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forgetIn } from "./forget-in.ts";

const hers = ["ann@x.example", "+4915112345678"];
const contact = fc.constantFrom(...hers, "bob@y.example", "+33612345678");
const kind = fc.constantFrom("choice", "text", "email", "phone", "number");
const key = fc.constantFrom("a", "b", "c", "d");
const value = fc.oneof(
  contact,
  contact.map((text) => ` ${text.toUpperCase()} `),
  fc.constantFrom("plain", 5, ["one"]),
);
const object = fc.record(
  {
    answers: fc.dictionary(key, fc.record({ kind, value })),
    property_mappings: fc.array(fc.record({ question_key: key, option_values: fc.array(contact, { maxLength: 1 }) })),
    identities: fc.array(fc.record({ kind, value: contact, component_key: key })),
    identity: fc.record({ kind, value: contact, component_key: key }),
    page_url: fc.constantFrom(null, "https://shop.example/", "https://shop.example/Ann%40x.example", "/bob@y.example"),
  },
  { requiredKeys: [] },
);
const holds = (text: string): boolean => hers.some((one) => text.toLowerCase().replaceAll("%40", "@").includes(one));
const forgotten = { contacts: hers, holds, typed: [] };
const read = (text: string) => JSON.parse(text).data.object;

/** A mapping repeats its question's answer: one that is about nothing is not made. */
const told = object.map(({ property_mappings: mappings, answers, ...rest }) => ({
  id: "evt_1",
  data: {
    object: {
      ...rest,
      ...(answers ? { answers } : {}),
      ...(mappings && answers
        ? {
            property_mappings: mappings
              .filter(({ question_key }) => question_key in answers)
              .map((mapping) => ({ ...mapping, option_values: [String(answers[mapping.question_key]?.value).trim()] })),
          }
        : {}),
    },
  },
}));

describe("what an erasure takes out of a payload [erasure.events]", () => {
  it("is every contact and free text of the person's own sessions, and nothing else", () => {
    fc.assert(
      fc.property(told, (envelope) => {
        const left = read(forgetIn(JSON.stringify(envelope), { ...forgotten, everything: true }));
        expect(JSON.stringify(left).toLowerCase()).not.toMatch(/ann(@|%40)x|4915112345678/);
        const { answers = {}, identities, identity } = envelope.data.object;
        const kept = Object.entries(answers).filter(
          ([, answer]) =>
            !["text", "email", "phone"].includes(answer.kind) &&
            !hers.includes(String(answer.value).trim().toLowerCase()),
        );
        expect(left.answers ?? {}).toEqual(Object.fromEntries(kept));
        if (identities) expect(left.identities).toEqual([]);
        if (identity) expect(left.identity).toEqual({ ...identity, value: null });
      }),
    );
  });

  it("is the person's contacts alone in what others left", () => {
    fc.assert(
      fc.property(told, (envelope) => {
        const left = read(forgetIn(JSON.stringify(envelope), { ...forgotten, everything: false }));
        expect(JSON.stringify(left).toLowerCase()).not.toMatch(/ann(@|%40)x|4915112345678/);
        const { answers = {} } = envelope.data.object;
        const isHers = (each: unknown) => hers.includes(String(each).trim().toLowerCase());
        const gone = Object.keys(answers).filter((name) => isHers(answers[name]?.value));
        expect(Object.keys(left.answers ?? {})).toEqual(Object.keys(answers).filter((name) => !gone.includes(name)));
        const { identities } = envelope.data.object;
        if (identities) {
          const others = identities.filter((each) => !isHers(each.value) && !gone.includes(each.component_key));
          expect(left.identities).toEqual(others);
        }
      }),
    );
  });

  it("leaves a payload without anything of theirs as it was, byte for byte", () => {
    const text = JSON.stringify({
      id: "evt_1",
      data: { object: { answers: { a: { kind: "text", value: "hello" } } } },
    });
    expect(forgetIn(text, { ...forgotten, everything: false })).toBe(text);
    const published = JSON.stringify({ id: "evt_1", data: { object: { quiz_name: "Skin" } } });
    expect(forgetIn(published, { ...forgotten, everything: true })).toBe(published);
  });
});
