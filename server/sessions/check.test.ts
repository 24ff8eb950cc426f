import { describe, expect, it } from "vitest";
import { type ScriptedEvent, scriptedHistory } from "../../testkit/histories.ts";
import { finderQuiz } from "../../testkit/small-quizzes.ts";
import { checkEvent } from "./check.ts";

function check(fields: ScriptedEvent) {
  const [event] = scriptedHistory(fields);
  return event && checkEvent(finderQuiz, event);
}
const answer = (page_key: string, component_key: string, more: object): ScriptedEvent => {
  return { type: "answer_saved", page_key, component_key, ...more };
};
const products = [{ product_id: "p1" }];

describe("checkEvent", () => {
  it.each<[ScriptedEvent, string | null]>([
    [{ type: "quiz_opened" }, null],
    [{ type: "quiz_closed" }, null],
    [{ type: "page_entered", page_key: "serum", cause: "next" }, null],
    [{ type: "page_entered", page_key: "gone", cause: "next" }, "unknown_page"],
    [
      { type: "page_entered", page_key: "skin", cause: "jump", jump_rule_key: "gone", hidden_page_keys: ["gone"] },
      null,
    ],
    [{ type: "quiz_finished", page_key: "skin" }, null],
    [{ type: "quiz_finished", page_key: "gone" }, "unknown_page"],
    [answer("gone", "skin_type", { option_ids: ["skin_type_1"] }), "unknown_page"],
    [answer("skin", "gone", { option_ids: ["skin_type_1"] }), "unknown_component"],
    [answer("age", "skin_type", { option_ids: ["skin_type_1"] }), "unknown_component"],
    [answer("result", "double", { value: 4 }), "unknown_component"],
    [answer("skin", "skin_type", { option_ids: ["gone"] }), "unknown_option"],
    [answer("skin", "skin_type", { option_ids: ["skin_type_1", "skin_type_2"] }), "invalid_value"],
    [answer("skin", "skin_type", { option_ids: [] }), null],
    [answer("age", "years", { value: "30" }), "invalid_value"],
    [answer("age", "years", { value: 30 }), null],
    [answer("age", "years", { value: null }), null],
    [answer("contact", "mail", { consent: true }), "invalid_value"],
    [answer("contact", "mail", { value: "not an address" }), null],
    [{ type: "products_shown", page_key: "gone", block_key: "picks", products }, "unknown_page"],
    [{ type: "products_shown", page_key: "result", block_key: "gone", products }, "unknown_block"],
    [{ type: "products_shown", page_key: "skin", block_key: "picks", products }, "unknown_block"],
    [{ type: "products_shown", page_key: "result", block_key: "picks", products }, null],
    [{ type: "product_added", product_id: "anything", quantity: 1 }, null],
  ])("answers %j with %j [storefront.bad-events]", (fields, reason) => {
    expect(check(fields)).toBe(reason);
  });
});
