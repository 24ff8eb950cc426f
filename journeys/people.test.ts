import { randomInt, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { shortQuiz } from "./documents.ts";
import type { Client, ListOf, Person, PersonDetail } from "./http.ts";
import type { Place } from "./program.ts";
import { sharedProgram } from "./shared-program.ts";
import { openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { type Live, newId, Visit, type VisitOptions } from "./visit.ts";

/** Who a shopper is, by the contacts left in the sessions. */

let program: Place;
let shop: Shop;
let api: Client;
let live: Live;
let otherQuiz: Live;

beforeAll(async () => {
  program = await sharedProgram();
  ({ shop, api } = await openShopWithKey(program));
  live = await publishQuiz(program, shop, shortQuiz, "Quiz A");
  otherQuiz = await publishQuiz(program, shop, shortQuiz, "Quiz B");
}, 120_000);

const newMail = (): string => `mail.${randomUUID().slice(0, 13)}@example.com`;
/** A German mobile number that no other test uses. */
const newPhone = (): string => `+49151${randomInt(10_000_000, 99_999_999)}`;

const search = async (q: string): Promise<Person[]> => {
  const answer = await api.get<ListOf<Person>>(`/v1/profiles?q=${encodeURIComponent(q)}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
};

/** The one person with this contact. */
const person = async (q: string): Promise<PersonDetail> => {
  const found = await search(q);
  expect(found.length, `people with ${q}`).toBe(1);
  const answer = await api.get<PersonDetail>(`/v1/profiles/${found[0]?.id}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

const values = (detail: PersonDetail): string[] => detail.identities.map(({ value }) => value).sort();
const statusOf = async (id: string): Promise<number> => (await api.get(`/v1/profiles/${id}`)).status;
const sessionIds = (detail: PersonDetail): string[] => detail.sessions.map(({ session_id }) => session_id).sort();

type Field = "mail" | "mail2" | "tel";

/** A session that leaves these contacts, one event each, in this order. */
async function leave(contacts: readonly [Field, string][], options: VisitOptions = {}, where = live): Promise<Visit> {
  const v = new Visit(where, options);
  const events = [v.opened(), v.entered("first", "start"), v.chose("first", "pick", "one"), v.entered("contact")];
  const written = contacts.map(([field, value]) => v.wrote("contact", field, value));
  const answer = await v.send(...events, ...written);
  expect(answer.body).toEqual({ accepted: events.length + written.length, duplicates: 0, rejected: [] });
  return v;
}

describe("capturing a contact", () => {
  it("makes a new person of an unknown value [people.new-person]", async () => {
    const mail = newMail();
    const v = await leave([["mail", mail]]);
    const made = await person(mail);
    expect(values(made)).toEqual([mail]);
    expect(made).toMatchObject({ sessions_count: 1, completed_count: 0, quizzes_taken_count: 1, latest_results: [] });
    expect(sessionIds(made)).toEqual([v.session.id]);
  });

  it("attaches a further unknown value to the session's person [people.attached-contact]", async () => {
    const [mail, tel] = [newMail(), newPhone()];
    const v = await leave([["mail", mail]]);
    const { id } = await person(mail);
    await v.send(v.wrote("contact", "tel", tel));
    const both = await person(tel);
    expect(both.id).toBe(id);
    expect(values(both)).toEqual([tel, mail].sort());
  });

  it("joins the session to the person who holds the value, whatever its writing [people.known-contact]", async () => {
    const mail = newMail();
    const first = await leave([["mail", mail]]);
    const { id } = await person(mail);
    const second = await leave([["mail2", `  ${mail.toUpperCase()}\t`]]);
    const third = await leave([["mail", mail]], {}, otherQuiz);
    const joined = await person(mail);
    expect(joined.id).toBe(id);
    expect(joined).toMatchObject({ sessions_count: 3, quizzes_taken_count: 2 });
    expect(sessionIds(joined)).toEqual([first, second, third].map((v) => v.session.id).sort());
    expect(values(joined)).toEqual([mail]);
    const [listed] = await search(mail);
    const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
    const quizzes = [
      { id: live.quiz_id, name: "Quiz A" },
      { id: otherQuiz.quiz_id, name: "Quiz B" },
    ];
    expect(listed?.quizzes.toSorted(byId)).toEqual(quizzes.sort(byId));
  });

  it("does not know a visitor who leaves no contact [people.session-owner]", async () => {
    const mail = newMail();
    const v = await leave([["mail", mail]]);
    await leave([], { session: { visitor_id: v.session["visitor_id"] } });
    expect((await person(mail)).sessions_count).toBe(1);
  });

  it("reads national numbers by the session's country, international ones without [people.contacts]", async () => {
    const tail = String(randomInt(1_000_000, 9_999_999));
    const german = await leave([["tel", `(030) ${tail.slice(0, 3)} - ${tail.slice(3)}`]], {
      headers: { "x-country": "DE" },
    });
    expect(sessionIds(await person(`+4930${tail}`))).toEqual([german.session.id]);
    const british = `20 7946 0${randomInt(100, 999)}`;
    await leave([["tel", `0${british}`]], { headers: { "x-country": "GB" } });
    expect(values(await person(`+44${british.replaceAll(" ", "")}`))).toEqual([`+44${british.replaceAll(" ", "")}`]);
    const plus = newPhone();
    await leave([["tel", ` ${plus.slice(0, 6)} ${plus.slice(6)} `]]);
    expect(values(await person(plus))).toEqual([plus]);
  });

  it("takes what cannot be normalised as an answer, not as an identity [people.contacts]", async () => {
    const mail = newMail();
    const v = await leave([
      ["mail", mail],
      ["mail2", "not an email"],
      ["tel", "12"],
    ]);
    await v.send(v.entered("result"), v.finished("result"));
    const found = await person(mail);
    expect(values(found)).toEqual([mail]);
    const written = found.latest_results[0]?.answers.filter(({ page_key }) => page_key === "contact");
    expect(written?.map(({ value }) => value)).toEqual([mail, "12", "not an email"]);
  });
});

describe("two people in one session", () => {
  const asVisitor = (visitor_id: string): VisitOptions => ({ session: { visitor_id } });
  for (const order of ["email first", "phone first"] as const) {
    const inOrder = <T>(contacts: T[]): T[] => (order === "email first" ? contacts : contacts.toReversed());

    it(`leaves both as they are where somebody only typed the contacts: ${order} [people.typed-contact]`, async () => {
      const [mail, tel] = [newMail(), newPhone()];
      const withMail = await leave([["mail", mail]]);
      const withPhone = await leave([["tel", tel]]);
      const before = [await person(mail), await person(tel)];
      const typed = await leave(
        inOrder<[Field, string]>([
          ["mail", mail],
          ["tel", tel],
        ]),
      );
      const after = [await person(mail), await person(tel)];
      expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
      expect(after.map(values)).toEqual([[mail], [tel]]);
      expect(after.map(sessionIds)).toEqual([[withMail.session.id, typed.session.id].sort(), [withPhone.session.id]]);
    });

    it(`leaves the email's person, moves the visitor's phone and merges who has nothing left: ${order} [people.brought-phone, people.merge]`, async () => {
      const [mail, tel] = [newMail(), newPhone()];
      const visitor = newId("vis");
      const withMail = await leave([["mail", mail]]);
      const withPhone = await leave([["tel", tel]], asVisitor(visitor));
      const [kept, gone] = [await person(mail), await person(tel)];
      expect(kept.id).not.toBe(gone.id);
      const contacts = inOrder<[Field, string]>([
        ["mail", mail],
        ["tel", tel],
      ]);
      const meeting = await leave(contacts, asVisitor(visitor));
      const merged = await person(tel);
      expect(merged.id).toBe(kept.id);
      expect(values(merged)).toEqual([tel, mail].sort());
      expect(sessionIds(merged)).toEqual([withMail, withPhone, meeting].map((v) => v.session.id).sort());
      expect(merged.sessions_count).toBe(3);
      expect(await statusOf(gone.id)).toBe(404);
    });
  }

  it("leaves a person whose phone moved the email and the sessions [people.brought-phone]", async () => {
    const [mailA, mailB, tel] = [newMail(), newMail(), newPhone()];
    const visitor = newId("vis");
    const a = await leave([["mail", mailA]]);
    const b = await leave(
      [
        ["mail", mailB],
        ["tel", tel],
      ],
      asVisitor(visitor),
    );
    const [before, other] = [await person(mailA), await person(mailB)];
    const meeting = await leave(
      [
        ["mail", mailA],
        ["tel", tel],
      ],
      asVisitor(visitor),
    );
    const [after, left] = [await person(mailA), await person(mailB)];
    expect([after.id, left.id]).toEqual([before.id, other.id]);
    expect(values(after)).toEqual([tel, mailA].sort());
    expect(values(left)).toEqual([mailB]);
    expect(sessionIds(after)).toEqual([a.session.id, meeting.session.id].sort());
    expect(sessionIds(left)).toEqual([b.session.id]);
  });
});

describe("a corrected value", () => {
  it("replaces the old one that only this session had brought [people.corrected-value]", async () => {
    const [typo, mail] = [newMail(), newMail()];
    const v = await leave([["mail", typo]]);
    const { id } = await person(typo);
    await v.send(v.wrote("contact", "mail", mail));
    const corrected = await person(mail);
    expect(corrected.id).toBe(id);
    expect(values(corrected)).toEqual([mail]);
    expect(await search(typo)).toEqual([]);
    const [tel, better] = [newPhone(), newPhone()];
    await v.send(v.wrote("contact", "tel", tel), v.wrote("contact", "tel", better));
    expect(values(await person(mail))).toEqual([better, mail].sort());
  });

  it("leaves the old one that another session had brought too [people.corrected-value]", async () => {
    const [shared, mail] = [newMail(), newMail()];
    await leave([["mail", shared]]);
    const v = await leave([["mail", shared]]);
    await v.send(v.wrote("contact", "mail", mail));
    expect(values(await person(shared))).toContain(shared);
    expect(values(await person(mail))).toContain(mail);
  });

  it("leaves the value of another field of the same session [people.corrected-value]", async () => {
    const [one, two, three] = [newMail(), newMail(), newMail()];
    const v = await leave([
      ["mail", one],
      ["mail2", two],
    ]);
    await v.send(v.wrote("contact", "mail", three));
    expect(values(await person(two))).toEqual([two, three].sort());
  });

  it("joins the person who holds the corrected value; who has nothing left is merged [people.corrected-value, people.merge]", async () => {
    const [known, typo] = [newMail(), newMail()];
    const first = await leave([["mail", known]]);
    const v = await leave([["mail", typo]]);
    const [holder, gone] = [await person(known), await person(typo)];
    await v.send(v.wrote("contact", "mail", known));
    const joined = await person(known);
    expect(joined.id).toBe(holder.id);
    expect(values(joined)).toEqual([known]);
    expect(sessionIds(joined)).toEqual([first.session.id, v.session.id].sort());
    expect(await statusOf(gone.id)).toBe(404);
    expect(await search(typo)).toEqual([]);
  });

  it("counts by seq, whatever arrives first [people.late-contacts]", async () => {
    const [typo, mail] = [newMail(), newMail()];
    const v = new Visit(live);
    const [older, newer] = [v.wrote("contact", "mail", typo), v.wrote("contact", "mail", mail)];
    await v.send(newer);
    await v.send(older);
    expect(values(await person(mail))).toEqual([mail]);
    expect(await search(typo)).toEqual([]);
  });
});

describe("consent", () => {
  it("is that beside the newest answered field of the kind [people.consent]", async () => {
    const mail = newMail();
    const consentOf = async () => (await person(mail)).identities.map(({ kind, consent }) => [kind, consent]);
    const listed = async () =>
      (await api.get<ListOf<Person>>(`/v1/profiles?has_marketing_consent=true&q=${mail}`)).body.data.length;
    const at = (minutes: number): VisitOptions => ({ from: Date.now() - minutes * 60_000 });
    const ticked = new Visit(live, at(20));
    await ticked.send(ticked.wrote("contact", "mail", mail, true));
    expect([await consentOf(), await listed()]).toEqual([[["email", true]], 1]);
    const unticked = new Visit(live, at(15));
    await unticked.send(unticked.wrote("contact", "mail", mail, false));
    expect([await consentOf(), await listed()]).toEqual([[["email", false]], 0]);
    const older = new Visit(live, at(18));
    await older.send(older.wrote("contact", "mail", mail, true));
    expect(await consentOf()).toEqual([["email", false]]);
    const none = new Visit(live, at(10));
    await none.send(none.wrote("contact", "mail2", mail));
    expect(await consentOf()).toEqual([["email", null]]);
    const again = new Visit(live, at(5));
    await again.send(again.wrote("contact", "mail", mail, true), again.wrote("contact", "mail", mail, false));
    expect(await consentOf()).toEqual([["email", false]]);
  });
});

describe("results", () => {
  it("are the latest completed of each quiz [people.latest-results]", async () => {
    const mail = newMail();
    const take = async (option: string, minutes: number, where: Live, done = true): Promise<string> => {
      const v = new Visit(where, { from: Date.now() - minutes * 60_000 });
      const events = [v.opened(), v.chose("first", "pick", option), v.wrote("contact", "mail", mail)];
      await v.send(...events, ...(done ? [v.entered("result"), v.finished("result")] : []));
      return v.session.id;
    };
    const late = await take("two", 10, live);
    await take("one", 20, live);
    const inB = await take("one", 15, otherQuiz);
    await take("two", 5, otherQuiz, false);
    const found = await person(mail);
    expect(found).toMatchObject({ sessions_count: 4, completed_count: 3, quizzes_taken_count: 2 });
    const results = found.latest_results.map(({ quiz_id, session_id, answers }) => [
      quiz_id,
      session_id,
      answers[0]?.values,
    ]);
    expect(results.toSorted()).toEqual(
      [
        [live.quiz_id, late, ["Label of two"]],
        [otherQuiz.quiz_id, inB, ["Label of one"]],
      ].toSorted(),
    );
  });
});
