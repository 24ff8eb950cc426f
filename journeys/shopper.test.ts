import { beforeAll, describe, expect, it } from "vitest";
import { creamId, creamVariant, fullQuiz, oilId, shortQuiz } from "./documents.ts";
import { type Client, type ListOf, type Person, type PersonDetail, request, type StoreObject } from "./http.ts";
import { command, type Place } from "./program.ts";
import { sharedProgram } from "./shared-program.ts";
import { importLines, importQuiz, openShop, openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { type Live, newId, Visit, type VisitOptions } from "./visit.ts";

/** A shopper takes a quiz; what the shop then reads is what the shopper sent. */

let program: Place;
let shop: Shop;
let api: Client;
let full: Live;
let short: Live;

beforeAll(async () => {
  program = await sharedProgram();
  ({ shop, api } = await openShopWithKey(program));
  full = await publishQuiz(program, shop, fullQuiz, "Full quiz");
  short = await publishQuiz(program, shop, shortQuiz, "Short quiz");
}, 120_000);

const findPeople = async (q: string): Promise<Person[]> => {
  const answer = await api.get<ListOf<Person>>(`/v1/profiles?q=${encodeURIComponent(q)}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
};

const detailOf = async (q: string): Promise<PersonDetail> => {
  const [found, ...others] = await findPeople(q);
  expect(others).toEqual([]);
  expect(found, `nobody with ${q}`).toBeDefined();
  const answer = await api.get<PersonDetail>(`/v1/profiles/${found?.id}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

const visit = (options: VisitOptions = {}, live = short): Visit => new Visit(live, options);

const clean = (accepted: number) => ({ accepted, duplicates: 0, rejected: [] });

describe("the live document", () => {
  const address = (quiz: string, store = shop.publishable_key) =>
    `${program.url}/storefront/v1/quizzes/${quiz}?store=${store}`;

  it("is served as it was imported, cacheable, to every origin without credentials [storefront.live-version, storefront.other-origins]", async () => {
    const answer = await request<Record<string, unknown>>(address(full.quiz_id), {
      headers: { origin: "https://shop.example" },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      quiz_id: full.quiz_id,
      name: "Full quiz",
      version_id: full.version_id,
      version_number: 1,
      document: fullQuiz,
      store: { name: "Shop", currency: "EUR" },
      catalog: [],
    });
    expect(answer.headers.get("cache-control")).toContain("max-age=60");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    expect(answer.headers.get("etag")).toMatch(/^(W\/)?"[^"]+"$/);
  });

  it("is shown by a preview link from the command line, a draft's too [storefront.previews]", async () => {
    const draft = await importQuiz(program.data, shop.domain, shortQuiz, "--name", "Not yet");
    const shown = async (quiz: string, ...more: string[]) => {
      const { url } = await command<{ url: string }>(program.data, "quiz", "preview", quiz, ...more);
      const token = url.split("/preview/").at(-1) ?? "";
      return request<Record<string, unknown>>(`${program.url}/storefront/v1/previews/${token}`);
    };
    const { body } = await shown(draft.quiz_id, "--hours", "1");
    expect(body).toMatchObject({ name: "Not yet", version_id: null, document: shortQuiz, preview: true });
    const version = await shown(full.quiz_id, "--version", full.version_id);
    expect(version.body).toMatchObject({ version_id: full.version_id, document: fullQuiz, preview: true });
    await expect(shown(draft.quiz_id, "--hours", "721")).rejects.toThrow(
      "--hours must be a whole number from 1 to 720",
    );
  });

  it("answers 304 to its own tag, in a list and weakly too, and 200 to another [storefront.live-version]", async () => {
    const first = await request(address(full.quiz_id));
    const tag = first.headers.get("etag") ?? "";
    for (const value of [tag, `"other", ${tag}`, `W/${tag.replace(/^W\//, "")}`, "*"]) {
      const again = await request(address(full.quiz_id), { headers: { "if-none-match": value } });
      expect([value, again.status, again.text]).toEqual([value, 304, ""]);
      expect(again.headers.get("etag")).toBe(tag);
    }
    const other = await request(address(full.quiz_id), { headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
  });

  it("is 404 for a draft, for another store's quiz and for no quiz [storefront.live-version]", async () => {
    const other = await openShop(program.data);
    const draft = await importQuiz(program.data, shop.store_id, shortQuiz, "--name", "Draft");
    const asked = [
      address(draft.quiz_id),
      address(full.quiz_id, other.publishable_key),
      address(newId("quiz")),
      address("quiz_1"),
      address(full.version_id),
    ];
    for (const url of asked) {
      const answer = await request(url);
      expect([url, answer.status, answer.body.title]).toEqual([url, 404, "not_found"]);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    }
  });

  it("answers a browser's preflight for events [storefront.other-origins]", async () => {
    const answer = await request(`${program.url}/storefront/v1/events`, {
      method: "OPTIONS",
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
      },
    });
    expect(answer.status).toBeLessThan(300);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
    expect(answer.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("content-type");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

describe("a whole quiz", () => {
  let taken: Visit;
  let before: StoreObject;
  const began = Date.now() - 300_000;
  const at = (seq: number): number => began + seq * 1000;
  const shownProducts = [
    { product_id: creamId, variant_id: creamVariant, position: 1, source: "winner" },
    { product_id: oilId, variant_id: null, position: 2, source: "winner" },
    { product_id: "gid://shopify/Product/999", variant_id: null, position: 3, source: "winner" },
  ];

  beforeAll(async () => {
    before = (await api.get<StoreObject>("/v1/store")).body;
    const phoneAgent =
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1";
    taken = visit({ from: began, headers: { "x-country": "DE", "user-agent": phoneAgent } }, full);
    const v = taken;
    const opening = [v.opened(), v.entered("welcome", "start"), v.entered("skin_page")];
    const skin = [v.chose("skin_page", "skin", "dry"), v.chose("skin_page", "concerns", "acne", "lines")];
    const look = [v.entered("look_page"), v.chose("look_page", "look", "matte")];
    const about = [
      ...[v.entered("about_page", "next", { hidden_page_keys: ["oily_page"] })],
      ...[v.wrote("about_page", "story", 'Ünïcode, "quoted"\nand a line'), v.wrote("about_page", "age", 41)],
      ...[v.wrote("about_page", "budget", 20.5), v.wrote("about_page", "birth", { date: "1980-02-29", time: null })],
      v.wrote("about_page", "visit", { date: "2026-03-04", time: "09:30" }),
    ];
    const contact = [v.entered("contact"), v.wrote("contact", "mail", "  Full.Story@Example.COM ", true)];
    const rest = [v.wrote("contact", "tel", "030 12345678"), v.entered("result")];
    const end = [v.shown("result", "block", shownProducts), v.finished("result")];
    for (const events of [opening, skin, look, about, contact, rest, end]) {
      expect((await v.send(...events)).body).toEqual(clean(events.length));
    }
    const variants = (ids: [number, string, string][]) => ids.map(([id, title, price]) => ({ id, title, price }));
    await importLines(program.data, "products", shop.store_id, [
      JSON.stringify({
        ...{ id: 101, title: "Cream", handle: "cream", image: { src: "https://img.example/cream.png" } },
        variants: variants([
          [1010, "Small", "9.90"],
          [1011, "Large", "19.90"],
        ]),
      }),
      JSON.stringify({
        id: 102,
        title: "Oil",
        handle: "oil",
        image: null,
        variants: variants([[1020, "One", "7.00"]]),
      }),
    ]);
  }, 60_000);

  it("shows in the list of people [people.list]", async () => {
    const [person] = await findPeople("full.story");
    expect(person).toEqual({
      ...{ id: expect.stringMatching(/^prof_[0-9a-f]{32}$/), email: "full.story@example.com", phone: "+493012345678" },
      ...{ first_seen_at: expect.any(String), last_seen_at: expect.any(String), last_order_at: null },
      ...{ completed_count: 1, orders_count: 0, sessions_count: 1, removed: false, returning: false },
      ...{ quizzes: [{ id: full.quiz_id, name: "Full quiz" }], spent: { amount: "0.00", currency: "EUR" } },
    });
  });

  it("shows in the person's detail: head, identities, no orders [people.detail]", async () => {
    const { identities, latest_results, sessions, ...head } = await detailOf("full.story");
    expect(latest_results).toHaveLength(1);
    expect(sessions).toHaveLength(1);
    expect(head).toEqual({
      ...{ id: expect.stringMatching(/^prof_/), first_seen_at: expect.any(String), last_seen_at: expect.any(String) },
      ...{ last_order_at: null, completed_count: 1, orders_count: 0, quizzes_taken_count: 1, sessions_count: 1 },
      ...{ removed: false, removed_at: null, returning: false, returning_count: 0, orders: [], truncated: false },
      spent: { amount: "0.00", currency: "EUR" },
    });
    const seen = { first_seen_at: expect.any(String), last_seen_at: expect.any(String) };
    expect(identities).toHaveLength(2);
    expect(identities).toContainEqual({ kind: "email", value: "full.story@example.com", consent: true, ...seen });
    expect(identities).toContainEqual({ kind: "phone", value: "+493012345678", consent: null, ...seen });
  });

  it("shows each kind of answer with what a person reads [people.answers]", async () => {
    const [result] = (await detailOf("full.story")).latest_results;
    const byKey = new Map(result?.answers.map((answer) => [answer.component_key, answer]));
    const head = (key: string, page_key: string, kind: string) => ({
      ...{ component_key: key, page_key, kind, question: `Question ${key}?`, page_title: `Title of ${page_key}` },
      removed: false,
    });
    expect([...byKey.keys()].sort()).toEqual([
      "age",
      "birth",
      "budget",
      "concerns",
      "look",
      "mail",
      "skin",
      "story",
      "tel",
      "visit",
    ]);
    expect(byKey.get("skin")).toMatchObject({ ...head("skin", "skin_page", "choice"), values: ["Label of dry"] });
    expect(byKey.get("concerns")).toMatchObject({
      ...head("concerns", "skin_page", "choice"),
      values: ["Label of acne", "Label of lines"],
    });
    expect(byKey.get("look")).toMatchObject({
      ...head("look", "look_page", "image"),
      ...{ values: ["Label of matte"], image_urls: ["https://img.example/matte.png"] },
    });
    const story = 'Ünïcode, "quoted"\nand a line';
    expect(byKey.get("story")).toMatchObject({ ...head("story", "about_page", "text"), value: story, values: [story] });
    expect(byKey.get("age")).toMatchObject({ ...head("age", "about_page", "number"), value: 41 });
    expect(byKey.get("age")?.values).toEqual([expect.stringContaining("41")]);
    expect(byKey.get("budget")).toMatchObject({ ...head("budget", "about_page", "number"), value: 20.5 });
    expect(byKey.get("birth")).toMatchObject({
      ...head("birth", "about_page", "date"),
      value: { date: "1980-02-29", time: null },
    });
    expect(byKey.get("visit")).toMatchObject({
      ...head("visit", "about_page", "date"),
      value: { date: "2026-03-04", time: "09:30" },
    });
    expect(byKey.get("birth")?.values).toHaveLength(1);
    expect(byKey.get("mail")).toMatchObject({
      ...head("mail", "contact", "email"),
      value: "  Full.Story@Example.COM ",
    });
    expect(byKey.get("tel")).toMatchObject({ ...head("tel", "contact", "phone"), value: "030 12345678" });
  });

  it("shows points, winner and formulas as the engine counts them [people.latest-results, engine.points, engine.winner, engine.formulas]", async () => {
    const [result] = (await detailOf("full.story")).latest_results;
    const glow = { dimension_id: "glow", name: "Glow", total: 4.5 };
    expect(result?.points).toEqual([{ dimension_id: "calm", name: "Calming", total: 2 }, glow]);
    expect(result?.points_total).toBe(6.5);
    expect(result?.winner).toEqual(glow);
    expect(result?.formulas).toEqual([
      { component_key: "dose", page_key: "about_page", label: "Dose", value: 83 },
      { component_key: "share", page_key: "about_page", label: "Share", value: 2 },
    ]);
  });

  it("shows the result page with the products shown, as the catalog knows them [people.result-page]", async () => {
    const [result] = (await detailOf("full.story")).latest_results;
    const cream = { handle: "cream", title: "Cream", image: "https://img.example/cream.png", currency: "EUR" };
    expect(result?.result_page).toMatchObject({
      page_key: "result",
      title: "Title of result",
      position: 7,
      page_count: 7,
    });
    expect(result?.result_page?.["shown_products"]).toEqual([
      {
        ...{ block_key: "block", product_id: creamId, variant_id: creamVariant, variant_title: "Large", price: 19.9 },
        ...cream,
      },
      {
        ...{ block_key: "block", product_id: oilId, variant_id: null, variant_title: null, price: 7 },
        ...{ handle: "oil", title: "Oil", image: null, currency: "EUR" },
      },
      // what neither the quiz nor the catalog knows was left out
    ]);
  });

  it("shows the session with its own times and place [people.sessions]", async () => {
    const [session] = (await detailOf("full.story")).sessions;
    expect(session).toEqual({
      ...{ session_id: taken.session.id, quiz_id: full.quiz_id, quiz_name: "Full quiz", channel: "embed" },
      ...{ device_class: "mobile", status: "completed", country: "DE", version_number: 1, order: null },
      ...{ last_page_key: "result", last_page_title: "Title of result", last_page_position: 7, page_count: 7 },
      ...{ pages_visited: 6, returning: false, started_at: expect.any(String) },
      ...{ completed_at: expect.any(String), ended_at: expect.any(String) },
    });
    const finishedAt = at(taken.seq - 1);
    expect(Math.abs(Date.parse(session?.started_at ?? "") - at(3))).toBeLessThan(5000);
    expect(Math.abs(Date.parse(session?.completed_at ?? "") - finishedAt)).toBeLessThan(5000);
    expect(session?.ended_at).toBe(session?.completed_at);
    expect(session?.started_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("costs the store one credit [api.credits]", async () => {
    const after = (await api.get<StoreObject>("/v1/store")).body;
    expect(after.credits).toEqual({
      limit: 100_000,
      used: before.credits.used + 1,
      threshold: 80_000,
      overages_enabled: false,
    });
  });
});
