import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { Component } from "../../engine/document.ts";
import { contactIdentity } from "../../server/platform/contacts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type OpenedScreen, openScreenPage } from "../../testkit/browser-screen.ts";
import { choice, content, email, number, option, page, quizDocument, text } from "../../testkit/document-parts.ts";
import { fieldContacts, noContacts } from "../../testkit/field/contacts.ts";
import { readTyped } from "./read-typed.ts";

const browser = await openBrowser();

describe("emails", () => {
  const isTaken = (typed: string): boolean => readTyped(email("mail"), typed, "en") !== null;
  const isContact = (typed: string): boolean => contactIdentity("email", typed.trim(), null) !== null;

  it("are taken only if they become contacts [player.emails]", () => {
    const corpus = [...fieldContacts, ...noContacts].filter(
      ({ kind, typed }) => kind === "email" && typed.trim() !== "",
    );
    for (const { typed } of corpus) if (isTaken(typed)) expect([typed, isContact(typed)]).toEqual([typed, true]);
    const plain = [
      "ada@example.com",
      "o'brien+quiz@sub.example.co.uk",
      "jürgen@bücher.example",
      "ada@xn--bcher-kva.example",
    ];
    expect(plain.filter((typed) => !isTaken(typed))).toEqual([]);
    const refused = [
      "ada@example.com,",
      "ada@example..com",
      "<ada@example.com>",
      "ada\u200b@example.com",
      "ada@example.com.",
    ];
    expect(refused.filter(isTaken)).toEqual([]);
  });

  it("are taken only if they become contacts, whatever is typed [player.emails]", () => {
    const part = fc.stringMatching(/^[a-z0-9.,;:<>()'"@ \u00e9\u00ad\u200b\u3002-]{1,12}$/);
    const typed = fc.oneof(
      fc.emailAddress(),
      fc.tuple(part, part).map(([local, domain]) => `${local}@${domain}.com`),
    );
    fc.assert(fc.property(typed, (one) => !isTaken(one) || one.trim() === "" || isContact(one)));
  });
});

describe.skipIf(browser === null)("fields that a program fills in", () => {
  let screen: OpenedScreen | null = null;
  afterEach(async () => {
    expect(screen?.faults).toEqual([]);
    await screen?.close();
    screen = null;
  });

  const open = async (components: Component[]): Promise<OpenedScreen> => {
    const after = page("after", [content("end", "<p>After</p>")], { kind: "content" });
    const presentation = { advance: "button" as const };
    screen = await openScreenPage(quizDocument([page("first", components), after], { presentation }));
    return screen;
  };
  const filled = { mail: "ada@example.com", name: "Ada", story: "Once", age: "30" };

  it.each([["no event"], ["change alone"]])("count at Next, with %s [player.filled-fields]", async (how) => {
    const on = await open([
      email("mail", { question: "Mail?" }),
      text("name", { max_length: 40 }),
      text("story", { max_length: 500 }),
      number("age"),
      choice("skin", [option("dry"), option("oily")]),
      choice("wants", [option("a"), option("b")], { multiple: true }),
    ]);
    await on.quiz.evaluate(
      (quiz, [fields, event]) => {
        for (const [name, value] of Object.entries(fields)) {
          const field = quiz.querySelector<HTMLInputElement>(`[name="${name}"]`);
          if (field === null) throw new Error(name);
          field.value = value;
          if (event) field.dispatchEvent(new Event("change", { bubbles: true }));
        }
        for (const value of ["oily", "a"]) {
          const box = quiz.querySelector<HTMLInputElement>(`[value="${value}"]`);
          if (box) box.checked = true;
          if (event) box?.dispatchEvent(new Event("change", { bubbles: true }));
        }
      },
      [filled, how !== "no event"] as const,
    );
    // whatever draws again must not empty them
    await on.quiz.getByRole("checkbox", { name: "b" }).check();
    expect(await on.quiz.getByLabel("Mail?").inputValue()).toBe("ada@example.com");
    await on.quiz.getByRole("button", { name: "Next" }).click();
    expect(await on.title.textContent()).toBe("after");
    const last = new Map((await on.answers()).map((event) => ["component_key" in event && event.component_key, event]));
    const told = Object.fromEntries(
      [...last].map(([key, event]) => [
        key,
        "value" in event ? event.value : "option_ids" in event && event.option_ids,
      ]),
    );
    expect(told).toEqual({
      mail: "ada@example.com",
      name: "Ada",
      story: "Once",
      age: 30,
      skin: ["oily"],
      wants: ["a", "b"],
    });
  });
});
