import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventExamples } from "../../contract/events.ts";
import type { Body } from "../../testkit/app.ts";
import { objectWithoutContacts, withoutContacts } from "./privacy.ts";

const examples = eventExamples.map((example) => [example.type, example] as const);
const contact = /ada@example\.com|415555/i;

describe("the privacy switch [webhooks.privacy]", () => {
  it.for(examples)("leaves no contact in %s", ([, example]) => {
    expect(withoutContacts(JSON.stringify(example))).not.toMatch(contact);
  });

  it.for(examples.filter(([, example]) => !contact.test(JSON.stringify(example))))(
    "leaves %s as it is, byte for byte",
    ([, example]) => {
      const payload = JSON.stringify(example);
      expect(withoutContacts(payload)).toBe(payload);
    },
  );

  it("masks contacts in the page's address and the campaign [api.masked-contacts]", () => {
    const contact = "ada@example.com";
    const named = { page_url: `https://shop.example/?e=${contact}`, placement: contact, country: "DE", utm_term: null };
    expect(objectWithoutContacts({ ...named, utm_source: "mail", utm_content: "+49309011558" })).toEqual({
      ...{ page_url: "https://shop.example/?e=[email]", placement: "[email]", country: "DE", utm_term: null },
      ...{ utm_source: "mail", utm_content: "[phone]" },
    });
  });

  it("takes away identities, and the answers and mappings of contact fields, and nothing else", () => {
    const object = {
      id: "sess",
      answers: {
        name: { kind: "text", value: "ada@example.com, honestly" },
        mail: { kind: "email", value: "ada@example.com" },
        number: { kind: "phone", value: "+1" },
        __proto__x: { kind: "choice", option_ids: ["a"] },
      },
      identities: [{ kind: "email", value: "ada@example.com" }],
      identities_from_session: ["email"],
      property_mappings: [{ question_key: "name" }, { question_key: "mail" }, { question_key: "number" }],
      answered_count: 4,
    };
    const { mail: _, number: __, ...answers } = object.answers;
    const { identities: ___, ...rest } = object;
    expect(objectWithoutContacts(object)).toEqual({
      ...rest,
      answers,
      property_mappings: [{ question_key: "name" }],
    });
  });

  it("does the same to what was built as to what is being built, and once as often as twice", () => {
    const kind = fc.constantFrom("email", "phone", "text", "choice", "number");
    const key = fc.constantFrom("a", "b", "c", "12", "__proto__");
    const object = fc.record({
      answers: fc
        .uniqueArray(fc.tuple(key, kind), { selector: ([name]) => name })
        .map((entries) => Object.fromEntries(entries.map(([name, of]) => [name, { kind: of, value: name }]))),
      property_mappings: fc.array(key.map((question_key) => ({ question_key }))),
      identities: fc.array(fc.record({ kind, value: fc.string() })),
    });
    fc.assert(
      fc.property(object, (given) => {
        const built = (of: object) => JSON.stringify({ id: "evt", data: { object: of } });
        const once = withoutContacts(built(given));
        expect(once).toBe(built(objectWithoutContacts(given)));
        expect(withoutContacts(once)).toBe(once);
        const left: Body = JSON.parse(once).data.object;
        const kinds = Object.values<Body>(left.answers).map((answer) => answer.kind);
        expect(kinds.filter((of) => of === "email" || of === "phone")).toEqual([]);
        expect(left.identities).toBeUndefined();
        const contacts = Object.entries(given.answers).flatMap(([name, { kind: of }]) =>
          of === "email" || of === "phone" ? [name] : [],
        );
        expect(left.property_mappings).toEqual(
          given.property_mappings.filter(({ question_key }) => !contacts.includes(question_key)),
        );
      }),
    );
  });
});
