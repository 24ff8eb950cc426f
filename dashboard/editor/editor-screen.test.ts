import { describe, expect, it } from "vitest";
import type { QuizDocument } from "../../engine/document.ts";
import { lint } from "../../engine/lint.ts";
import { signedIn } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardPage, openDashboard } from "../../testkit/dashboard.ts";
import { EditorTests } from "../../testkit/dashboard-editor.ts";
import { page as pageOf, products, quizDocument, text } from "../../testkit/document-parts.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";

describe.skipIf(!(await openBrowser()))("the editor", () => {
  const editor = new EditorTests();

  const saved = ({ page }: DashboardPage) => page.locator('[data-save="saved"]').waitFor();

  it("shows the page that is edited by the player itself, from any page with any answers [editor.preview]", async () => {
    const { page } = await editor.edit(await editor.quiz({ document: sampleQuiz() }));
    const preview = page.getByTestId("preview");
    await preview.getByText("How does your skin feel?").waitFor();
    await preview.getByText("Oily").click();
    await page.getByText("1 answer given here").waitFor();
    await page.getByRole("button", { name: /^3 ?You/ }).click();
    await preview.getByText("Age?").waitFor();
    await page.getByLabel("Title", { exact: true }).fill("About you");
    await preview.getByRole("heading", { name: "About you" }).waitFor();
    await preview.getByLabel("Age?").fill("30");
    await page.getByRole("button", { name: /^Years to 100/ }).click();
    await page.getByText("With the preview's answers: 70").waitFor();
    await page.getByRole("button", { name: "Play from the start" }).click();
    await preview.getByText("How does your skin feel?").waitFor();
  });

  it("keeps what is typed without being asked, and takes it back [editor.autosave, editor.undo]", async () => {
    const quiz = await editor.quiz({ document: sampleQuiz() });
    const opened = await editor.edit(quiz);
    const { page } = opened;
    await page.getByRole("button", { name: /^1 ?Your skin/ }).click();
    await page.getByLabel("Title", { exact: true }).fill("Skin");
    await saved(opened);
    await expect.poll(async () => (await editor.draftOf(quiz)).document.pages[0].title).toBe("Skin");
    await page.keyboard.press("Control+z");
    await expect.poll(() => page.getByLabel("Title", { exact: true }).inputValue()).toBe("Your skin");
    await page.keyboard.press("Control+Shift+z");
    await expect.poll(() => page.getByLabel("Title", { exact: true }).inputValue()).toBe("Skin");
    await expect.poll(async () => (await editor.draftOf(quiz)).document.pages[0].title).toBe("Skin");
  });

  it("tells the second of two editors, and overwrites nothing [editor.two-editors]", async () => {
    const quiz = await editor.quiz({ document: sampleQuiz() });
    const first = await editor.edit(quiz);
    const noor = await signedIn(editor.t, "noor@example.com", { store: editor.store, role: "editor" });
    const second = await openDashboard(editor.t, noor);
    await second.open(`/quizzes/${quiz.id}/edit`);
    const rename = async (of: DashboardPage, title: string) => {
      await of.page.getByRole("button", { name: /^1 ?\S/ }).click();
      await of.page.getByLabel("Title", { exact: true }).fill(title);
    };
    await rename(second, "Noor's title");
    await expect.poll(async () => (await editor.draftOf(quiz)).document.pages[0].title).toBe("Noor's title");
    await rename(first, "Mira's title");
    await first.page.getByText("noor@example.com changed this quiz").waitFor();
    expect((await editor.draftOf(quiz)).document.pages[0].title).toBe("Noor's title");
    await first.page.getByRole("button", { name: "See both" }).click();
    await first.page.getByRole("cell", { name: "Noor's title" }).waitFor();
    expect(await first.violations()).toEqual([]);
    await first.page.getByRole("button", { name: "Take theirs" }).click();
    await expect.poll(() => first.page.getByLabel("Title", { exact: true }).inputValue()).toBe("Noor's title");
    await first.page.keyboard.press("Control+z");
    await expect.poll(async () => (await editor.draftOf(quiz)).document.pages[0].title).toBe("Mira's title");
    await rename(second, "Noor again");
    await second.page.getByText("mira@example.com changed this quiz").waitFor();
    await second.close();
  });

  it("is read-only while the assistant edits, and says who holds it [editor.assistant]", async () => {
    const quiz = await editor.quiz({ document: sampleQuiz() });
    const { aiRunStart } = await import("../../server/quizzes/ai-lease.ts");
    await editor.t.database.transaction((tx) => aiRunStart(tx, editor.t.foundations, quiz.id, "Mira's assistant"));
    const { page } = await editor.edit(quiz);
    await page.getByText("Mira's assistant edits this quiz").waitFor();
    await page.getByRole("button", { name: /^1 ?\S/ }).click();
    expect(await page.getByLabel("Title", { exact: true }).isEditable()).toBe(false);
  });

  /** What checks of fields refuse, and what checks of references and the lint find once the fields are right. */
  function flawed(sort: "fields" | "references"): QuizDocument {
    const document = sampleQuiz();
    const [skin, oil, you, result] = document.pages;
    if (!skin || !oil || !you || !result) throw new Error("the sample has four pages");
    if (sort === "fields") {
      document.presentation = { theme: { accent: "blue", radius: 99 } };
      skin.subtitle = "x".repeat(1_001);
      you.components.push({ kind: "formula", component_key: "bad", label: "Bad", expression: "" });
      oil.title = "x".repeat(1_001);
      return document;
    }
    oil.visible_when = { component_key: "gone", op: "answered" };
    you.components.push({ kind: "formula", component_key: "bad", label: "Bad", expression: "1 +" });
    document.jump_rules[0]!.target_page_key = "nowhere";
    document.property_mappings.push({ component_key: "lost", property_name: "lost" });
    const [best] = result.components;
    if (best?.kind === "products" && best.source !== "rules") best.products[0]!.dimension_id = "none";
    const [feel] = skin.components;
    if (feel?.kind === "choice") feel.options[0]!.points["none"] = 3;
    return document;
  }

  it.each(["fields", "references"] as const)(
    "leads from each finding to its field: %s [editor.lint-links]",
    async (sort) => {
      const document = flawed(sort);
      const expected = lint(document).map(({ path }) => path);
      expect(expected.length).toBeGreaterThanOrEqual(4);
      const { page } = await editor.edit(await editor.quiz({ document }));
      const open = page.getByRole("button", { name: /issue/ });
      await open.click();
      await page.locator(`[data-path="${expected[0]}"]`).waitFor();
      const listed = await page
        .locator("[data-path]")
        .evaluateAll((all) => all.map((one) => one.getAttribute("data-path")));
      expect(listed).toEqual(expected);
      await page.keyboard.press("Escape");
      await page.locator(`[data-path="${expected[0]}"]`).waitFor({ state: "detached" });
      for (const path of expected) {
        await open.click();
        await page.locator(`[data-path="${path}"]`).click();
        const focused = () =>
          page.evaluate(() => window.document.activeElement?.closest("[data-field]")?.getAttribute("data-field") ?? "");
        await expect.poll(focused).toBe(path);
      }
    },
  );

  it("publishes what was looked at, with what changes for shoppers, and takes a version back [editor.publish, editor.restore, editor.version-lint]", async () => {
    const quiz = await editor.quiz({ document: sampleQuiz(), publish: true });
    const opened = await editor.edit(quiz);
    const { page } = opened;
    await page.getByRole("button", { name: /^1 ?Your skin/ }).click();
    await page.getByLabel("Title", { exact: true }).fill("Your face");
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("cell", { name: "Your face" }).waitFor();
    expect(await opened.violations()).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    await page.getByText("Published. Shoppers are served it from now on.").waitFor();
    const live = await editor.t.request(
      "GET",
      `/storefront/v1/quizzes/${quiz.id}?store=${editor.store.publishableKey}`,
    );
    expect(live.body).toMatchObject({ version_number: 2, document: { pages: [{ title: "Your face" }, {}, {}, {}] } });
    await page.getByRole("tab", { name: "History" }).click();
    const first = page.getByRole("row", { name: /Saved.*Version 1/ });
    await first.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("cell", { name: "Your face" }).waitFor();
    await page.keyboard.press("Escape");
    const { body } = await editor.t.request("GET", `/v1/quizzes/${quiz.id}/versions`, { key: editor.store.key });
    const path = `/v1/quizzes/${quiz.id}/versions/${body.data.at(-1).id}/lint`;
    const { findings } = (await editor.t.request("GET", path, { key: editor.store.key })).body;
    await first.getByRole("button", { name: "Check" }).click();
    const lint = page.getByRole("dialog", { name: "Issues of Version 1" });
    await lint.getByText(findings[0]?.message ?? "No issues.").waitFor();
    expect(await lint.getByRole("listitem").count()).toBe(findings.length);
    await page.keyboard.press("Escape");
    await first.getByRole("button", { name: "Make it the draft" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Make it the draft" }).click();
    await expect.poll(async () => (await editor.draftOf(quiz)).document.pages[0].title).toBe("Your skin");
  });

  it("takes HTML out that a quiz may not hold, and says so [editor.findings]", async () => {
    const document = quizDocument([
      pageOf("a", [{ kind: "content", component_key: "hi", html_text: "" }, text("why")]),
    ]);
    const quiz = await editor.quiz({ document });
    const { page } = await editor.edit(quiz);
    await page.getByRole("button", { name: /Text block/ }).click();
    await page.getByLabel("Edit as HTML").check();
    await page.getByLabel("Text", { exact: true }).fill('<p onclick="x()">Hello<script>alert(1)</script></p>');
    await page.getByText("Taken out of this text").waitFor();
    await expect.poll(() => page.getByLabel("Text", { exact: true }).inputValue()).toBe("<p>Hello</p>");
  });

  it("makes quizzes from templates and files [editor.create]", async () => {
    const opened = await editor.open();
    const { page } = opened;
    await opened.open("/quizzes/new");
    await page.getByLabel("Name").fill("From a template");
    await page.getByRole("button", { name: "Use Product finder" }).click();
    await page.waitForURL(/\/edit/);
    await page.getByRole("button", { name: /^1 ?Find what suits you/ }).waitFor();
    await opened.open("/quizzes/new");
    const file = {
      name: "quiz.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify({ name: "A file", document: sampleQuiz() })),
    };
    await page.locator('input[type="file"]').setInputFiles(file);
    await page.waitForURL(/\/edit/);
    expect(await page.getByLabel("Name of the quiz").inputValue()).toBe("A file");
  });

  it("chooses products of the catalog by their titles [editor.catalog]", async () => {
    const { putProducts } = await import("../../server/orders/catalog.ts");
    const many = Array.from({ length: 60 }, (_, n) => ({
      id: n + 1,
      title: `Product ${n + 1}`,
      variants: [{ id: n + 1, price: "5.00" }],
    }));
    await editor.t.database.transaction((tx) =>
      putProducts(tx.forStore(editor.store.uuid), many, editor.t.calendar.now()),
    );
    const document = quizDocument([pageOf("r", [products("best", [])], { kind: "result" })]);
    const quiz = await editor.quiz({ document });
    const { page } = await editor.edit(quiz);
    await page.getByRole("button", { name: /Products/ }).click();
    await page.getByRole("button", { name: "Choose products" }).click();
    await page.getByLabel("Search by title").fill("product 42");
    await page.getByRole("checkbox", { name: "Product 42" }).check();
    await page.getByRole("button", { name: "Add 1 product" }).click();
    await page.getByTestId("preview").getByText("Product 42").first().waitFor();
    await expect
      .poll(async () => (await editor.draftOf(quiz)).document.pages[0].components[0].products)
      .toMatchObject([{ product_id: "gid://shopify/Product/42" }]);
  });
});
