import { describe, expect, it } from "vitest";
import { eventId, type ScriptedEvent, scriptedHistory } from "../../testkit/histories.ts";
import { at, choose, finish, reduceAt, reduced, say, shortWay } from "../../testkit/session-scripts.ts";
import { comparePlaces, type KeptEvent } from "./kept-event.ts";

describe("answers", () => {
  it("keeps the last by seq for each question, in document order [sessions.answers]", () => {
    const { state } = reduced(
      say("contact", "remark", "hm"),
      choose("skin", "skin_type", 3, { seq: 9 }),
      choose("skin", "skin_type", 1, { seq: 8 }),
    );
    expect(state.answers).toMatchObject([
      {
        component_key: "skin_type",
        page_key: "skin",
        kind: "choice",
        option_ids: ["skin_type_3"],
        consent: null,
        event_id: eventId(1),
        seq: 9,
      },
      { component_key: "remark", kind: "text", value: "hm" },
    ]);
  });

  it("clears with null and with an empty list [engine.clearing]", () => {
    const empty: ScriptedEvent = { type: "answer_saved", page_key: "skin", component_key: "skin_type", option_ids: [] };
    const { state } = reduced(choose("skin", "skin_type", 1), empty, say("age", "years", 3), say("age", "years", null));
    expect(state).toMatchObject({ answers: [], answered_count: 0 });
  });

  it("keeps every contact that was typed, and which one is in force [sessions.answers]", () => {
    const { state } = reduced(
      say("contact", "mail", "an@example.com", { consent: true }),
      say("contact", "phone", "+12025550123", { consent: true }),
      say("contact", "mail", " Ann@Example.com ", { consent: false }),
      say("contact", "phone", null),
    );
    expect(state.contacts).toMatchObject([
      { component_key: "mail", kind: "email", value: "an@example.com", consent: true, current: false },
      { component_key: "phone", kind: "phone", value: "+12025550123", consent: null, current: false },
      { component_key: "mail", kind: "email", value: " Ann@Example.com ", consent: false, current: true },
    ]);
  });

  it("takes consent as false where a box was left unticked, as null where there is none [sessions.consent]", () => {
    const consents = ([undefined, null, false, true] as const).map((consent) => {
      const more = consent === undefined ? {} : { consent };
      const { state } = reduced(say("contact", "mail", "a@b.example", more), say("contact", "phone", "1", more));
      return state.contacts.map((contact) => contact.consent);
    });
    expect(consents).toEqual([
      [false, null],
      [false, null],
      [false, null],
      [true, null],
    ]);
  });

  it("computes points, winner and formulas from the answers in force, also those after the finish [sessions.answers]", () => {
    const { state } = reduced(...shortWay, finish("result"), choose("skin", "skin_type", 2));
    expect(state.outcome).toMatchObject({
      points_total: 3,
      winner: { dimension_id: "oily" },
      formulas: [{ component_key: "double", value: 60 }],
    });
  });

  it("counts an erased answer and shows nothing of it [erasure.counts]", () => {
    const events = scriptedHistory(...shortWay, say("contact", "mail", "ann@example.com"), finish("result"));
    const erased = events.map((event): KeptEvent => {
      if (event.type !== "answer_saved") return event;
      const { option_ids: _, value: __, ...rest } = event;
      return { ...rest, erased: true };
    });
    expect(reduceAt(9, erased).state).toMatchObject({
      status: "completed",
      started_at: at(1),
      answered_count: 3,
      answers: [],
      contacts: [],
    });
  });

  it("can be taken as of one event, whatever has arrived since [webhooks.identity-captured]", () => {
    const events = scriptedHistory(
      ...shortWay,
      say("contact", "mail", "a@b.example"),
      say("contact", "remark", "later"),
      finish("result"),
    );
    const capture = events.find((event) => event.type === "answer_saved" && event.component_key === "mail")!;
    const { state } = reduceAt(
      6,
      events.toReversed().filter((event) => comparePlaces(event, capture) <= 0),
    );
    expect(state.answers.map((answer) => answer.component_key)).toEqual(["skin_type", "years", "mail"]);
    expect(state).toMatchObject({ completed_at: null, terminal_page_key: null, shown: [] });
  });
});

describe("products", () => {
  it("keeps each product shown once a block with its first showing, and what was added [sessions.shown-products]", () => {
    const show = (ids: string[], more: object = {}): ScriptedEvent => {
      const products = ids.map((product_id, position) => ({ product_id, position, source: "fixed" }));
      return { type: "products_shown", page_key: "result", block_key: "picks", products, ...more };
    };
    const { state } = reduced(
      ...shortWay,
      finish("result"),
      show(["p1", "p2"], { min: 7 }),
      show(["p2", "p3", "p3"], { min: 8 }),
      { type: "product_added", product_id: "p2", variant_id: "v1", quantity: 2, min: 9 },
    );
    expect(state.shown.map((product) => [product.product_id, product.position, product.first_at])).toEqual([
      ["p1", 0, at(7)],
      ["p2", 1, at(7)],
      ["p3", 1, at(8)],
    ]);
    expect(state.shown[0]).toMatchObject({ page_key: "result", block_key: "picks", variant_id: null, source: "fixed" });
    expect(state.added).toEqual([
      { product_id: "p2", variant_id: "v1", quantity: 2, time: at(9), event_id: eventId(10) },
    ]);
  });
});
