import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { Component } from "../../engine/document.ts";
import { contactIdentity } from "../../server/platform/contacts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type OpenedScreen, openScreenPage, type ScreenSettings } from "../../testkit/browser-screen.ts";
import {
  choice,
  content,
  email,
  number,
  option,
  page,
  phone,
  quizDocument,
  text,
} from "../../testkit/document-parts.ts";
import { fieldContacts, noContacts } from "../../testkit/field/contacts.ts";
import { readTyped } from "./read-typed.ts";

const browser = await openBrowser();

it("takes an email only if it becomes a contact, whatever is typed [player.contacts]", () => {
  const isTaken = (typed: string): boolean => readTyped(email("mail"), typed, "en") !== null;
  const isContact = (typed: string): boolean => contactIdentity("email", typed.trim(), null) !== null;
  const part = fc.stringMatching(/^[a-z0-9.,;:<>()'"@ \u00e9\u00ad\u200b\u3002-]{1,12}$/);
  const typed = fc.oneof(
    fc.emailAddress(),
    fc.tuple(part, part).map(([local, domain]) => `${local}@${domain}.com`),
  );
  fc.assert(fc.property(typed, (one) => one.trim() === "" || isTaken(one) === isContact(one)));
});

describe.skipIf(browser === null)("contacts", () => {
  let screen: OpenedScreen | null = null;
  afterEach(async () => {
    expect(screen?.faults).toEqual([]);
    await screen?.close();
    screen = null;
  });

  const open = async (components: Component[], settings?: ScreenSettings): Promise<OpenedScreen> => {
    const after = page("after", [content("end", "<p>After</p>")], { kind: "content" });
    const presentation = { advance: "button" as const };
    screen = await openScreenPage(quizDocument([page("first", components), after], { presentation }), settings);
    return screen;
  };
  const next = (on: OpenedScreen) => on.quiz.getByRole("button", { name: "Next" }).click();
  const values = async (on: OpenedScreen) =>
    (await on.answers()).map((event) => ("value" in event ? event.value : "option_ids" in event && event.option_ids));
  const list = (on: OpenedScreen) => on.quiz.getByRole("combobox", { name: "Country of the number" });

  /** The corpus for a session of this country. Chromium's email field turns ß into ss before anybody can read it. */
  const corpus = (kind: "email" | "phone", country: string | null) => ({
    taken: fieldContacts.filter(
      (each) => each.kind === kind && (each.country?.toUpperCase() ?? null) === country && !each.typed.includes("ß"),
    ),
    refused: noContacts.filter(
      (each) =>
        each.kind === kind &&
        (kind === "email" || each.country === country) &&
        each.typed !== "" &&
        each.typed.length <= 320,
    ),
  });

  it.each([
    ["email", null],
    ["phone", null],
    ["phone", "MX"],
    ["phone", "DE"],
    ["phone", "US"],
  ] as const)(
    "of kind %s with country %s are taken only if the server has them as contacts [player.contacts]",
    async (kind, country) => {
      const { taken, refused } = corpus(kind, country);
      const on = await open([kind === "email" ? email("it", { question: "It?" }) : phone("it", { question: "It?" })], {
        country,
      });
      const field = on.quiz.getByRole("textbox", { name: "It?" });
      await expect.poll(() => list(on).count()).toBe(kind === "phone" && country === null ? 1 : 0);
      for (const { typed, value } of taken) {
        await field.fill(typed);
        await field.press("Enter");
        const reported = (await values(on)).at(-1);
        expect([typed, contactIdentity(kind, String(reported), null)]).toEqual([typed, value]);
        expect(await on.title.textContent()).toBe("after");
        await on.quiz.getByRole("button", { name: "Back" }).click();
      }
      const before = (await values(on)).length;
      for (const { typed } of refused) {
        await field.fill(typed);
        await field.press("Enter");
        expect([typed, await on.quiz.locator(".complaint").count(), await on.title.textContent()]).toEqual([
          typed,
          1,
          "first",
        ]);
      }
      expect((await values(on)).length).toBe(before);
    },
  );

  it("ask for the country of a phone that needs one, in the shopper's language [player.phone-country]", async () => {
    const on = await open([phone("tel", { question: "Telefon?" })], { locale: "de-DE" });
    const field = on.quiz.getByLabel("Telefon?");
    const countries = on.quiz.getByRole("combobox", { name: "Land der Nummer" });
    await field.fill("0170 1234567");
    await on.quiz.getByRole("button", { name: "Weiter" }).click();
    expect(await on.quiz.locator(".complaint").textContent()).toBe(
      "Bitte das Land der Nummer auswählen oder sie mit + und der Landesvorwahl beginnen.",
    );
    expect(await countries.evaluate((element) => element.matches(":focus"))).toBe(true);
    expect(await countries.getAttribute("aria-invalid")).toBe("true");
    await countries.selectOption({ label: "Österreich" });
    expect(await on.quiz.locator(".complaint").count()).toBe(0);
    await countries.selectOption({ label: "Deutschland" });
    await on.quiz.getByRole("button", { name: "Weiter" }).click();
    expect(await on.title.textContent()).toBe("after");
    expect((await values(on)).at(-1)).toBe("+491701234567");
  });

  it("need no country for an international number, nor where it is known [player.phone-country]", async () => {
    const on = await open([phone("tel", { question: "Phone?" })], { country: "DE" });
    await on.quiz.getByLabel("Phone?").fill("0170 1234567");
    await next(on);
    expect(await values(on)).toEqual(["+491701234567"]);
    expect(await list(on).count()).toBe(0);
  });

  it.each([
    ["fr-FR", "ltr"],
    ["ar", "rtl"],
  ] as const)("fit 320 pixels in %s [player.phone-country]", async (locale, dir) => {
    const on = await open([phone("tel")], { locale, dir, context: { viewport: { width: 320, height: 600 } } });
    await expect.poll(() => on.quiz.getByRole("combobox").count()).toBe(1);
    expect(await on.quiz.getByRole("combobox").locator("option").count()).toBeGreaterThan(200);
    expect(await on.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });

  describe("that a program fills in", () => {
    const all = () => [
      email("mail", { question: "Mail?" }),
      phone("tel", { question: "Phone?" }),
      text("name", { max_length: 40 }),
      text("story", { max_length: 500 }),
      number("age"),
      choice("skin", [option("dry"), option("oily")]),
      choice("wants", [option("a"), option("b")], { multiple: true }),
    ];
    const filled = {
      mail: "ada@example.com",
      "tel-country": "DE",
      tel: "0170 1234567",
      name: "Ada",
      story: "Once",
      age: "30",
    };

    it.each([["no event"], ["change alone"]])("count at Next, with %s [player.filled-fields]", async (how) => {
      const on = await open(all());
      await expect.poll(() => list(on).count()).toBe(1);
      const fill = (given: object) =>
        on.quiz.evaluate(
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
          [given, how !== "no event"] as const,
        );
      await fill(filled);
      // whatever draws again must not empty them
      await on.quiz.getByRole("checkbox", { name: "b" }).check();
      expect(await on.quiz.getByLabel("Mail?").inputValue()).toBe("ada@example.com");
      await next(on);
      expect(await on.title.textContent()).toBe("after");
      const last = new Map(
        (await on.answers()).map((event) => ["component_key" in event && event.component_key, event]),
      );
      const told = Object.fromEntries(
        [...last].map(([key, event]) => [
          key,
          "value" in event ? event.value : "option_ids" in event && event.option_ids,
        ]),
      );
      expect(told).toEqual({
        mail: "ada@example.com",
        tel: "+491701234567",
        name: "Ada",
        story: "Once",
        age: 30,
        skin: ["oily"],
        wants: ["a", "b"],
      });
    });
  });
});
