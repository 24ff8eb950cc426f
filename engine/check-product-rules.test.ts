import { describe, expect, it } from "vitest";
import { choice, formula, number, option, page, quizDocument, ruled } from "../testkit/document-parts.ts";
import { checkDocument } from "./check.ts";
import { bounds } from "./document.ts";

const questions = [choice("skin", [option("dry")]), number("budget"), formula("half", "Half", "budget / 2")];
const documentWith = (block: object) =>
  quizDocument([page("ask", questions), page("end", [block as ReturnType<typeof ruled>], { kind: "result" })]);

const problems = (block: object): string[] => {
  const checked = checkDocument(documentWith(block));
  return checked.ok
    ? []
    : checked.problems.map(({ path, message }) => `${path.replace("pages.1.components.0", "")} ${message}`);
};

const rule = { rule_key: "r", when: null, match: { tags_any: ["dry"] }, effect: "include" };

describe("a block with rules", () => {
  it("is taken as it is, and without what may be left out [quiz-documents.product-rules]", () => {
    const whole = ruled("b", {
      from: {
        ...{ product_ids: ["1"], tags_any: ["a"], tags_all: ["b"], tags_none: ["c"], vendors: ["d"] },
        ...{ product_types: ["e"], collections: ["f"], options: { Size: ["S"] } },
        price: { min: { formula: "half" }, max: { component_key: "budget" } },
      },
      rules: [
        { rule_key: "r", when: { component_key: "skin", op: "answered" }, match: {}, effect: "score", score: -2.5 },
        { rule_key: "s", when: null, match: { price: { min: "1", max: "1.00" } }, effect: "exclude" },
      ],
      ...{ min_score: -1, order: "price_asc", one_per: "vendor", limit: 3, sold_out: "last", min_stock: 2 },
      ...{ fallback: { from: { tags_any: ["gift"] }, limit: 2 }, unit: "variant" },
    });
    expect(checkDocument(documentWith(whole))).toEqual({ ok: true, document: documentWith(whole) });
    const least = { kind: "products", block_key: "b", source: "rules" };
    expect(checkDocument(documentWith(least))).toEqual({ ok: true, document: documentWith(ruled("b")) });
  });

  it.each([
    [{ from: { price: { min: "20", max: "9.99" } } }, [".from.price.min is above max"]],
    [{ from: { price: { max: "-1" } } }, ['.from.price.max must be a decimal number, such as "24.50"']],
    [{ from: { price: {} } }, [".from.price must have min or max"]],
    [
      { from: { price: { max: { component_key: "skin" } } } },
      [".from.price.max.component_key names no number question of the document"],
    ],
    [{ from: { price: { max: { formula: "budget" } } } }, [".from.price.max.formula names no formula of the document"]],
    [{ from: { tags_any: [] } }, [".from.tags_any must be a list of 1 to 250 entries"]],
    [{ from: { tags_any: Array(251).fill("x") } }, [".from.tags_any must be a list of 1 to 250 entries"]],
    [{ from: { vendors: [7] } }, [".from.vendors.0 must be a string"]],
    [{ from: { options: {} } }, [".from.options must have an option"]],
    [{ from: { options: { Size: [] } } }, [".from.options.Size must be a list of 1 to 250 entries"]],
    [{ from: { colour: ["red"] } }, [".from.colour is not a known field"]],
    [{ rules: [rule, rule] }, [".rules.1.rule_key occurs twice"]],
    [
      { rules: [{ ...rule, when: { component_key: "gone", op: "answered" } }] },
      [".rules.0.when.component_key names no question of the document"],
    ],
    [{ rules: [{ ...rule, effect: "score" }] }, [".rules.0.score is missing"]],
    [{ rules: [{ ...rule, effect: "score", score: 1001 }] }, [".rules.0.score must be from -1000 to 1000"]],
    [{ rules: [{ ...rule, effect: "boost" }] }, [".rules.0.effect must be one of include, exclude, score"]],
    [{ limit: 25 }, [".limit must be from 1 to 24"]],
    [{ one_per: "tag" }, [".one_per must be one of product_type, vendor"]],
    [{ min_stock: 1.5 }, [".min_stock must be a whole number"]],
    [{ fallback: { from: {}, limit: 0 } }, [".fallback.limit must be from 1 to 24"]],
    [{ products: [] }, [".products is not a known field"]],
  ])("names what is wrong with %j [quiz-documents.product-rules]", (more, expected) => {
    expect(problems({ ...ruled("b"), ...more })).toEqual(expected);
  });

  it("has at most 250 rules [quiz-documents.product-rules]", () => {
    const rules = (count: number) => Array.from({ length: count }, (_, index) => ({ ...rule, rule_key: `r${index}` }));
    expect(problems({ ...ruled("b"), rules: rules(bounds.productRules) })).toEqual([]);
    expect(problems({ ...ruled("b"), rules: rules(251) })).toEqual([".rules must have 0 to 250 entries"]);
  });
});
