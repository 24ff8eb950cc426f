import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import { choice, chosen, content, option, page, quizDocument, text } from "../../testkit/document-parts.ts";

const result = (dimension_id: string, title: string) =>
  page(dimension_id, [content(`about_${dimension_id}`, "<p>Made for you</p>")], {
    kind: "result",
    title,
    outcome: { dimension_id },
    visible_when: { kind: "winner", op: "in", dimension_ids: [dimension_id] },
  });

/** A choice that brings up another question, and a result page for each dimension. */
const quiz = quizDocument(
  [
    page("skin", [
      choice("feel", [
        option("a", { label: "Tight", points: { dry: 1 } }),
        option("b", { label: "Shiny", points: { oily: 1 } }),
      ]),
      text("since", { question: "Since when?", required: true, visible_when: chosen("feel", "b") }),
      text("more", { question: "What else?" }),
    ]),
    result("dry", "For dry skin"),
    result("oily", "For oily skin"),
  ],
  {
    dimensions: [
      { dimension_id: "dry", name: "Dry" },
      { dimension_id: "oily", name: "Oily" },
    ],
  },
);

describe.skipIf((await openBrowser()) === null)("a quiz whose pages follow the result", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    shop = await openEmbeddedShop(quiz);
  });
  afterAll(() => shop.close());

  it("asks what an answer brings up, keeps what is typed, and ends on the winner's page [player.outcomes-apart, engine.hidden-components]", async () => {
    const { page: shopper, heard, close } = await shop.open(shop.tag());
    await heard("page");
    await shopper.getByLabel("What else?").fill("Nothing");
    expect(await shopper.getByLabel("Since when?").count()).toBe(0);
    await shopper.getByLabel("Shiny").check();
    await shopper.getByLabel("Since when?").waitFor();
    expect(await shopper.getByLabel("What else?").inputValue()).toBe("Nothing");
    const next = shopper.getByRole("button", { name: "Next" });
    await next.click();
    // it is required as long as it is there
    await shopper.locator('[aria-invalid="true"]').waitFor();
    await shopper.getByLabel("Since when?").fill("May");
    await next.click();
    await shopper.getByRole("heading", { name: "For oily skin" }).waitFor();
    expect((await heard("result")).outcome).toEqual({ page_key: "oily", dimension_id: "oily", name: "Oily" });
    await shopper.getByRole("button", { name: "Back" }).click();
    await shopper.getByLabel("Tight").check();
    await shopper.getByLabel("Since when?").waitFor({ state: "detached" });
    await next.click();
    await shopper.getByRole("heading", { name: "For dry skin" }).waitFor();
    expect((await heard("result", 2)).outcome).toEqual({ page_key: "dry", dimension_id: "dry", name: "Dry" });
    await close();
  });
});
