import { describe, expect, it } from "vitest";
import {
  choice,
  chosen,
  email,
  formula,
  number,
  option,
  page,
  pick,
  products,
  text,
} from "../../testkit/document-parts.ts";
import { compiled, openedRun, pageOf, startedRun } from "../../testkit/opened-runs.ts";
import { finderQuiz } from "../../testkit/small-quizzes.ts";

describe("a run", () => {
  it("opens on the first visible page, and names the hidden ones before it [player.first-page]", () => {
    const quiz = compiled([page("never", [], { visible_when: { any: [] } }), page("one", [])]);
    const { run, told, heard } = openedRun(quiz);
    expect([run.view.page, run.view.position]).toEqual([null, 0]);
    run.start();
    expect(told()).toEqual([
      { type: "quiz_opened" },
      { type: "page_entered", page_key: "one", cause: "start", hidden_page_keys: ["never"] },
    ]);
    expect(heard()).toEqual([{ type: "page", page_key: "one", position: 1, of: 1 }]);
    run.start();
    expect(told()).toEqual([]);
  });

  it("has no page where none is visible [player.first-page]", () => {
    const { run, told } = openedRun(compiled([page("never", [], { visible_when: { any: [] } })]));
    run.start();
    expect(told()).toEqual([{ type: "quiz_opened" }]);
    expect(run.view).toMatchObject({ page: null, position: 0, canGoBack: false, canSkip: false });
    expect(run.next()).toEqual([]);
    run.skip();
    run.back();
    run.close();
    expect(told()).toEqual([]);
  });

  it("follows the engine, with the cause of each step and the rule of a jump [player.engine-decides]", () => {
    const shopper = startedRun(finderQuiz);
    const { run, told } = shopper;
    run.answer("skin_type", { option_ids: ["skin_type_3"] });
    told();
    expect(run.next()).toEqual([]);
    expect(told()).toEqual([{ type: "page_entered", page_key: "contact", cause: "jump", jump_rule_key: "straight" }]);
    run.back();
    run.answer("skin_type", { option_ids: ["skin_type_1"] });
    told();
    run.next();
    run.answer("years", { value: 30 });
    told();
    run.next();
    expect(told()).toEqual([{ type: "page_entered", page_key: "contact", cause: "next", hidden_page_keys: ["serum"] }]);
    expect(pageOf(shopper)).toBe("contact");
  });

  it("stays where a required answer or consent is missing, and says which [player.required]", () => {
    const box = { label: "Yes", required: true };
    const quiz = compiled([
      page("you", [email("mail", { required: true, consent: box }), text("name")]),
      page("end", []),
    ]);
    const shopper = startedRun(quiz);
    const { run, told } = shopper;
    expect(run.next()).toEqual([{ page_key: "you", component_key: "mail", missing: "answer" }]);
    run.answer("mail", { value: "ann@example.com" });
    expect(run.next()).toEqual([{ page_key: "you", component_key: "mail", missing: "consent" }]);
    expect(pageOf(shopper)).toBe("you");
    run.answer("mail", { value: "ann@example.com" }, true);
    expect(run.next()).toEqual([]);
    expect(told().map((event) => event.type)).toEqual(["answer_saved", "answer_saved", "page_entered"]);
    expect(pageOf(shopper)).toBe("end");
  });

  it("tells an answer when it changed, in the engine's shape, and clears it [player.answers]", () => {
    const { run, told, heard } = startedRun(finderQuiz);
    expect(run.answer("skin_type", { option_ids: ["skin_type_2"] })).toBe("ok");
    const saved = { type: "answer_saved", page_key: "skin", component_key: "skin_type" };
    expect(told()).toEqual([{ ...saved, option_ids: ["skin_type_2"] }]);
    expect(heard()).toEqual([
      {
        type: "answered",
        page_key: "skin",
        component_key: "skin_type",
        answer: { option_ids: ["skin_type_2"] },
      },
    ]);
    expect(run.answer("skin_type", { option_ids: ["skin_type_2", "skin_type_2"] })).toBe("ok");
    expect(told()).toEqual([]);
    expect(run.answer("skin_type", { option_ids: [] })).toBe("ok");
    expect(told()).toEqual([{ ...saved, option_ids: [] }]);
    expect(run.view.answers.size).toBe(0);
    expect(run.answer("skin_type", { value: null })).toBe("ok");
    expect(told()).toEqual([]);
  });

  it("refuses what the question refuses, and leaves the answer as it was [player.answers]", () => {
    const { run, told } = startedRun(finderQuiz);
    run.answer("skin_type", { option_ids: ["skin_type_1"] });
    told();
    expect(run.answer("skin_type", { option_ids: ["other"] })).toBe("unknown_option");
    expect(run.answer("skin_type", { option_ids: ["skin_type_1", "skin_type_2"] })).toBe("invalid_value");
    expect(run.answer("nothing", { value: 1 })).toBe("invalid_value");
    expect(told()).toEqual([]);
    expect(run.view.answers.get("skin_type")).toEqual({ option_ids: ["skin_type_1"] });
  });

  it("takes a late answer on a page that was left, and none on one that was not entered [player.answers]", () => {
    const quiz = compiled([page("one", [text("a")]), page("two", [text("b")]), page("three", [text("c")])]);
    const { run, told } = startedRun(quiz);
    run.next();
    told();
    expect(run.answer("a", { value: "late" })).toBe("ok");
    expect(told()).toEqual([{ type: "answer_saved", page_key: "one", component_key: "a", value: "late" }]);
    expect(run.answer("c", { value: "early" })).toBe("invalid_value");
    expect(told()).toEqual([]);
  });

  it("tells how a consent box stands with its field, and of no box where there is none [player.consent-box]", () => {
    const quiz = compiled([page("you", [email("mail"), text("name")])]);
    const { run, told } = startedRun(quiz);
    run.answer("mail", { value: null }, true);
    expect(told()).toEqual([]);
    expect(run.view.consents.get("mail")).toBe(true);
    run.answer("mail", { value: "ann@example.com" });
    run.answer("mail", { value: "ann@example.com" }, false);
    run.answer("name", { value: "Ann" }, true);
    expect(told()).toEqual([
      { type: "answer_saved", page_key: "you", component_key: "mail", value: "ann@example.com", consent: true },
      { type: "answer_saved", page_key: "you", component_key: "mail", value: "ann@example.com", consent: false },
      { type: "answer_saved", page_key: "you", component_key: "name", value: "Ann" },
    ]);
  });

  it("goes back to the nearest page that is still visible, with every answer [player.back]", () => {
    const hides = { visible_when: { not: chosen("c", "x") } };
    const quiz = compiled([
      page("one", [text("a")]),
      page("two", [text("b")], hides),
      page("three", [choice("c", [option("x")])]),
    ]);
    const shopper = startedRun(quiz);
    const { run, told } = shopper;
    run.next();
    run.answer("b", { value: "kept" });
    run.next();
    run.answer("c", { option_ids: ["x"] });
    told();
    run.back();
    expect(told()).toEqual([{ type: "page_entered", page_key: "one", cause: "back" }]);
    expect(run.view.canGoBack).toBe(false);
    expect([...run.view.answers.keys()]).toEqual(["b", "c"]);
    run.back();
    expect(told()).toEqual([]);
    run.next();
    expect(pageOf(shopper)).toBe("three");
    run.answer("c", { option_ids: [] });
    run.back();
    run.next();
    expect(pageOf(shopper)).toBe("two");
    expect(run.view.answers.get("b")).toEqual({ value: "kept" });
  });

  it("skips a skippable page, and no last page [player.skip]", () => {
    const { run, told } = startedRun(finderQuiz);
    expect(run.view.canSkip).toBe(false);
    run.skip();
    expect(told()).toEqual([]);
    run.answer("skin_type", { option_ids: ["skin_type_1"] });
    run.next();
    told();
    expect(run.view.canSkip).toBe(true);
    run.skip();
    expect(told()).toEqual([{ type: "page_entered", page_key: "contact", cause: "skip", hidden_page_keys: ["serum"] }]);
    const last = startedRun(compiled([page("only", [text("a", { required: true })], { skippable: true })]));
    expect([last.run.view.canSkip, last.run.view.isLast]).toEqual([false, true]);
    last.run.skip();
    expect(last.told()).toEqual([]);
  });

  it("answers formulas, winner and points as the engine does, without those of hidden pages [player.engine-decides]", () => {
    const quiz = compiled(
      [
        page("one", [choice("a", [option("x", { points: { d: 2 } }), option("y", { points: { e: 1 } })])]),
        page("two", [number("n"), formula("double", "Twice", "n * 2"), formula("sum", "Sum", "d + e")]),
      ],
      {
        dimensions: [
          { dimension_id: "d", name: "Dry" },
          { dimension_id: "e", name: "Else" },
        ],
      },
    );
    const { run } = startedRun(quiz);
    expect(run.view).toMatchObject({ winner: null, points: { d: 0, e: 0 } });
    expect(run.view.formulas.size).toBe(0);
    run.answer("a", { option_ids: ["x"] });
    run.next();
    expect(run.view.winner).toEqual({ dimension_id: "d", name: "Dry" });
    expect([...run.view.formulas]).toEqual([
      ["double", null],
      ["sum", 2],
    ]);
    run.answer("n", { value: 4 });
    expect(run.view.formulas.get("double")).toBe(8);
  });

  it("gives a new view after each change, and the same one in between [player.engine-decides]", () => {
    const { run } = startedRun(finderQuiz);
    const { view } = run;
    expect(run.view).toBe(view);
    run.answer("skin_type", { option_ids: ["skin_type_1"] });
    expect(run.view).not.toBe(view);
    expect(view.answers.size).toBe(0);
  });
});

describe("products of a run", () => {
  const block = products("best", [pick("p1", { when: chosen("a", "x") }), pick("p2")], { source: "answers" });
  const question = choice("a", [option("x"), option("y")]);

  it("are reported when their page is entered, and again when what it shows changes there [player.products-shown]", () => {
    const { run, told } = startedRun(compiled([page("one", []), page("two", [question, block])]));
    run.next();
    const shown = { type: "products_shown", page_key: "two", block_key: "best" };
    const product = (product_id: string, position: number) => {
      return { product_id, variant_id: null, position, source: "answers" };
    };
    expect(told()[1]).toEqual({ ...shown, products: [product("p2", 1)] });
    run.answer("a", { option_ids: ["y"] });
    expect(told().map(({ type }) => type)).toEqual(["answer_saved"]);
    run.answer("a", { option_ids: ["x"] });
    expect(told()[1]).toEqual({ ...shown, products: [product("p1", 1), product("p2", 2)] });
    run.back();
    run.next();
    expect(told().map(({ type }) => type)).toEqual(["page_entered", "page_entered"]);
  });

  it("are not reported where there are none [player.products-shown]", () => {
    const { run, told } = openedRun(compiled([page("one", [products("none", [])])]));
    run.start();
    expect(told().map(({ type }) => type)).toEqual(["quiz_opened", "page_entered"]);
    expect(run.view.products.get("none")).toEqual([]);
  });

  it("that the shop does not have make room for others within the limit [player.products-sold]", () => {
    const limited = products("best", [1, 2, 3], { limit: 2 });
    const { run, told } = openedRun(compiled([page("one", [limited])]), null, (id) => id !== "gid://shopify/Product/1");
    run.start();
    const ids = (run.view.products.get("best") ?? []).map(({ product_id, position }) => [product_id, position]);
    expect(ids).toEqual([
      ["gid://shopify/Product/2", 1],
      ["gid://shopify/Product/3", 2],
    ]);
    expect(told()[2]).toMatchObject({ type: "products_shown", products: run.view.products.get("best") });
  });

  it("that are added are told with their quantity [player.product-added]", () => {
    const { run, told, heard } = startedRun(finderQuiz);
    run.addProduct("p1", null, 2);
    const added = { product_id: "p1", variant_id: null, quantity: 2 };
    expect(told()).toEqual([{ type: "product_added", ...added }]);
    expect(heard()).toEqual([{ type: "product-added", ...added }]);
  });
});

describe("a run that was saved", () => {
  it("goes on where it was, and opens nothing [player.resume]", () => {
    const before = startedRun(finderQuiz);
    before.run.answer("skin_type", { option_ids: ["skin_type_2"] });
    before.run.next();
    before.run.skip();
    const after = openedRun(finderQuiz, JSON.parse(JSON.stringify(before.run.saved)));
    after.run.start();
    expect(after.told()).toEqual([]);
    expect(after.run.view).toEqual(before.run.view);
    expect(after.run.saved).toEqual(before.run.saved);
    after.run.back();
    expect(pageOf(after)).toBe("age");
  });

  it("is closed once in a row, and restarted under the next session's id [player.close]", () => {
    const { run, told } = startedRun(finderQuiz);
    run.close();
    run.close();
    run.answer("skin_type", { option_ids: ["skin_type_1"] });
    run.close();
    const next_session_id = `sess_${"2".repeat(32)}`;
    run.restart(next_session_id);
    expect(told().map(({ type }) => type)).toEqual(["quiz_closed", "answer_saved", "quiz_closed", "quiz_restarted"]);
  });

  it("is not closed again by each reload of a page on which nothing happens [player.close]", () => {
    const before = startedRun(finderQuiz);
    before.run.close();
    const after = openedRun(finderQuiz, JSON.parse(JSON.stringify(before.run.saved)));
    after.run.start();
    after.run.close();
    expect(after.told()).toEqual([]);
    after.run.answer("skin_type", { option_ids: ["skin_type_1"] });
    after.run.close();
    expect(after.told().map(({ type }) => type)).toEqual(["answer_saved", "quiz_closed"]);
  });

  it("is told anew to a session that begins in the middle of it [player.retold]", () => {
    const shopper = startedRun(finderQuiz);
    const { run, told } = shopper;
    run.answer("skin_type", { option_ids: ["skin_type_2"] });
    run.next();
    run.skip();
    run.answer("strength", { option_ids: ["strength_1"] });
    told();
    run.replay();
    const entered = (page_key: string, cause: string) => ({ type: "page_entered", page_key, cause });
    const answered = (page_key: string, component_key: string, option_id: string) => {
      return { type: "answer_saved", page_key, component_key, option_ids: [option_id] };
    };
    expect(told()).toEqual([
      { type: "quiz_opened" },
      entered("skin", "start"),
      answered("skin", "skin_type", "skin_type_2"),
      entered("age", "next"),
      entered("serum", "skip"),
      answered("serum", "strength", "strength_1"),
    ]);
    run.back();
    run.back();
    told();
    run.replay();
    expect(told()).toEqual([
      { type: "quiz_opened" },
      entered("skin", "start"),
      answered("skin", "skin_type", "skin_type_2"),
      answered("serum", "strength", "strength_1"),
      entered("skin", "back"),
    ]);
    expect(pageOf(shopper)).toBe("skin");
  });
});
