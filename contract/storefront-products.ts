import { type Static, Type } from "typebox";
import { dateValue, maxAnswerLength, publishableKey } from "./storefront.ts";

/**
 * The body of `POST /storefront/v1/quizzes/{quiz_id}/products`: which products blocks with rules show for these answers.
 */

const key = () => Type.String({ minLength: 1, maxLength: 200 });

/** Blocks that one request may ask for: those of a page. */
export const maxRuledBlocks = 20;
const maxAnswers = 2_000;

/** Like an event's answer; unknown components and values that fit none are ignored. */
const ruledAnswer = Type.Object({
  option_ids: Type.Optional(Type.Union([Type.Null(), Type.Array(key(), { maxItems: 200 })])),
  value: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.String({ maxLength: maxAnswerLength }),
      Type.Number(),
      dateValue,
      Type.Array(Type.Unknown(), { maxItems: 0 }),
    ]),
  ),
});

export const ruledAnswers = Type.Record(Type.String({ maxLength: 200 }), ruledAnswer, { maxProperties: maxAnswers });

const asked = {
  answers: Type.Optional(ruledAnswers),
  block_keys: Type.Array(key(), { maxItems: maxRuledBlocks }),
};

export const ruledProductsShape = Type.Object({
  store: publishableKey,
  version_id: Type.String({ pattern: "^ver_[0-9a-f]{32}$" }),
  ...asked,
});
export type RuledProductsRequest = Static<typeof ruledProductsShape>;

/** For a preview link, which names store and version itself. */
export const previewedProductsShape = Type.Object(asked);
export type PreviewedProductsRequest = Static<typeof previewedProductsShape>;

export interface RuledBlockAnswer {
  block_key: string;
  products: {
    product_id: string;
    variant_id: string | null;
    position: number;
    source: "rules" | "fallback";
    reasons: string[];
  }[];
  rule_keys: string[];
}
