import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import {
  choice,
  chosen,
  content,
  formula,
  number,
  option,
  page,
  quizDocument,
  text,
} from "../../testkit/document-parts.ts";

const quiz = quizDocument(
  [
    page("skin", [
      text("name", { question: "Your name?" }),
      choice(
        "feel",
        [
          option("a", { label: "Tight & dry", points: { dry: 2 } }),
          option("b", { label: "Shiny", points: { oily: 0.5, dry: 0.5 } }),
        ],
        { question: "How is your skin, {{answer:name|dear}}?", multiple: true },
      ),
      number("age", { question: "Age?" }),
      text("why", { question: "Why?", visible_when: chosen("feel", "b") }),
      formula("half", "Half", "age / 2"),
    ]),
    page("more", [choice("goal", [option("g", { label: "Calm, {{answer:name|you}}" })])], {
      title: "{{answer:feel|Your skin}}",
      subtitle: "{{formula:half|?}} and {{answer:why|no reason}}",
    }),
    page(
      "end",
      [
        content(
          "said",
          '<p><em>{{answer:name|dear}}</em>, {{winner:2|none &amp; nothing}} <a href="https://e.example/{{winner|x}}">{{points|0}}</a></p>',
        ),
      ],
      { kind: "result", title: "{{winner|Nothing}} for {{answer:name|you}}" },
    ),
  ],
  {
    dimensions: [
      { dimension_id: "dry", name: "Dry" },
      { dimension_id: "oily", name: "Oily" },
    ],
  },
);

describe.skipIf((await openBrowser()) === null)("a quiz whose texts recall answers", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    shop = await openEmbeddedShop(quiz);
  });
  afterAll(() => shop.close());

  it("shows them in the shopper's locale, escaped, and never a placeholder [engine.recall, engine.recall-html]", async () => {
    const { page: shopper, heard, close } = await shop.open(shop.tag('locale="de"'));
    await heard("page");
    const drawn = (): Promise<string> =>
      shopper
        .locator("quiz-store")
        .evaluate((element) => element.shadowRoot?.querySelector("section")?.innerHTML ?? "");
    expect(await drawn()).toContain("How is your skin, dear?");
    await shopper.getByLabel("Your name?").fill("Ada <img src=x>");
    await shopper.getByLabel("Tight & dry").check();
    await shopper.getByText("How is your skin, Ada <img src=x>?").waitFor();
    await shopper.getByLabel("Shiny").check();
    await shopper.getByLabel("Why?").fill("Sun");
    await shopper.getByLabel("Shiny").uncheck();
    await shopper.getByLabel("Shiny").check();
    await shopper.getByLabel("Age?").fill("3000");
    await shopper.getByRole("button", { name: "Weiter" }).click();
    await shopper.getByRole("heading", { name: "Tight & dry und Shiny" }).waitFor();
    await shopper.getByText("1.500 and Sun").waitFor();
    expect(await drawn()).not.toContain("{{");
    await shopper.getByText("Calm, Ada <img src=x>").click();
    await shopper.getByRole("heading", { name: "Dry for Ada <img src=x>" }).waitFor();
    await shopper.getByText("Ada <img src=x>, Oily 3").waitFor();
    expect(await shopper.locator("img").count()).toBe(0);
    expect(await shopper.getByRole("link").getAttribute("href")).toContain("winner");
    expect((await heard("result")).outcome.name).toBe("Nothing for you");
    await close();
  });

  it("shows fallbacks for what was not answered, also after going back [engine.recall]", async () => {
    const { page: shopper, heard, close } = await shop.open(shop.tag());
    await heard("page");
    const next = shopper.getByRole("button", { name: "Next" });
    await next.click();
    await shopper.getByRole("heading", { name: "Your skin" }).waitFor();
    await shopper.getByText("? and no reason").waitFor();
    await next.click();
    await shopper.getByRole("heading", { name: "Nothing for you" }).waitFor();
    await shopper.getByText("dear, none & nothing 0").waitFor();
    expect(await shopper.locator("em").textContent()).toBe("dear");
    await close();
  });
});
