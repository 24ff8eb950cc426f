import { describe, expect, it } from "vitest";
import { getProfileTimeline, previewErasure, timelineKinds } from "../../contract/dashboard/shoppers.ts";
import type { TimelineEntry } from "../api/generated.ts";
import { destroyed } from "./erasure-words.ts";
import { entryWords, visitsOf } from "./timeline-words.ts";

const [example] = getProfileTimeline.answer.example.data;
const entry = (change: Partial<TimelineEntry>): TimelineEntry => ({ ...(example as TimelineEntry), ...change });
const product = (change: object) => ({
  product_id: "p1",
  variant_id: null,
  title: "Balm",
  variant_title: null,
  image: null,
  price: null,
  quantity: null,
  ...change,
});

describe("a person's timeline in words", () => {
  it("has words for every kind of entry [dashboard-people.timeline]", () => {
    const titles = timelineKinds.map((kind) => entryWords(entry({ kind })).title);
    expect(new Set(titles).size).toBe(timelineKinds.length);
    expect(entryWords(entry({ kind: "answered" }))).toEqual({
      title: "How does your skin feel by noon?",
      lines: ["Tight and dry"],
    });
    expect(entryWords(entry({ kind: "page", cause: "back" })).title).toBe("Saw Your skin, by going back");
    expect(entryWords(entry({ kind: "page", page_title: null, page_key: "p3", cause: "next" })).title).toBe("Saw p3");
  });

  it("says of answers that they were cleared or erased, and of products what they are", () => {
    expect(entryWords(entry({ values: [] })).lines).toEqual(["Cleared the answer"]);
    expect(entryWords(entry({ values: ["x"], erased: true })).lines).toEqual(["The answer was erased"]);
    const products = [product({}), product({ title: null, quantity: 2 }), product({ variant_title: "50 ml" })];
    expect(entryWords(entry({ kind: "added", products }))).toEqual({
      title: "Added 3 products to the cart",
      lines: ["Balm", "2 × A product that is not in the catalog", "Balm, 50 ml"],
    });
  });

  it("puts entries of one session together, and orders between them", () => {
    const of = (id: string, session_id: string | null, kind: TimelineEntry["kind"] = "page") =>
      entry({ id, session_id, kind });
    const visits = visitsOf([
      of("1", "a"),
      of("2", "a"),
      of("3", "a", "order"),
      of("4", "a"),
      of("5", "b"),
      of("6", null),
    ]);
    expect(visits.map((visit) => visit.entries.map(({ id }) => id))).toEqual([["1", "2"], ["3"], ["4"], ["5"], ["6"]]);
  });
});

describe("an erasure in words", () => {
  it("names all that goes, and nothing that is not there [dashboard-people.erasure]", () => {
    const extent = previewErasure.answer.example;
    expect(destroyed(extent)).toEqual([
      "1 email address or phone number",
      "3 answers with words or contacts of their own",
      "2 visits lose their person",
      "1 order loses its contacts",
      "4 kept webhook messages are rewritten",
    ]);
    const none = { sessions: 0, contacts: 0, answers: 0, orders: 0, deliveries: 0, exports: 0 };
    expect(destroyed(none)).toEqual([]);
    expect(destroyed({ ...none, exports: 2 })).toEqual(["2 export files are removed"]);
    expect(Object.keys(extent).toSorted()).toEqual(Object.keys(none).toSorted());
  });
});
