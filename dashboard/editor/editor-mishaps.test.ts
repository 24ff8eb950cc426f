import { beforeAll, describe, expect, it } from "vitest";
import type { Component } from "../../engine/document.ts";
import { aiRunStart } from "../../server/quizzes/ai-lease.ts";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardPage, openTab } from "../../testkit/dashboard.ts";
import { EditorTests, editorPath } from "../../testkit/dashboard-editor.ts";
import { formula, number, page as pageOf, quizDocument, text } from "../../testkit/document-parts.ts";
import type { TestQuiz } from "../../testkit/quizzes.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";

/** What an author may do wrong, and what others do meanwhile. */

describe.skipIf(!(await openBrowser()))("the editor in trouble", () => {
  const editor = new EditorTests();
  let noor: Browser;
  beforeAll(async () => {
    noor = await signedIn(editor.t, "noor@example.com", { store: editor.store, role: "editor" });
  });

  const titleOf = async (quiz: TestQuiz) => (await editor.draftOf(quiz)).document.pages[0].title;
  const title = ({ page }: DashboardPage) => page.getByLabel("Title", { exact: true });
  const firstPage = async (of: DashboardPage) => {
    await of.page.locator("[data-row]").first().click();
    await title(of).waitFor();
  };
  /** In the page itself: when a page is closed, its browser sends on the requests that a route still holds. */
  const nothingIsSaved = ({ page }: DashboardPage) =>
    page.evaluate(() => {
      const send = window.fetch;
      window.fetch = async (input, init) => {
        if (init?.method === "PUT") throw new TypeError("Failed to fetch");
        return send(input, init);
      };
    });
  const isKept = ({ page }: DashboardPage, words: string) =>
    expect
      .poll(() => page.evaluate((wanted) => JSON.stringify({ ...localStorage }).includes(wanted), words))
      .toBe(true);

  it("keeps of pasted HTML what a quiz may hold, and says what it left out [editor.rich-text]", async () => {
    const block: Component = { kind: "content", component_key: "hi", html_text: "" };
    const quiz = await editor.quiz({ document: quizDocument([pageOf("a", [block])]) });
    const { page } = await editor.edit(quiz);
    await page.getByRole("button", { name: /Text block/ }).click();
    const area = page.getByRole("textbox", { name: "Text", exact: true });
    await area.focus();
    await area.evaluate((field) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData(
        "text/html",
        `<meta charset="utf-8"><style>p{color:red}</style><div class="x" onclick="window.pasted=1"><h1>Oats</h1>
         <p style="font-weight:700">They <i>calm</i> <a href="javascript:window.pasted=1">you</a>.</p>
         <table><tbody><tr><td>Soft</td></tr></tbody></table><ul><li><p>One</p></li><li>Two<ol><li>Three</li></ol></li></ul>
         <img src="x" onerror="window.pasted=1"><iframe src="https://evil.example"></iframe><script>window.pasted=1</script></div>`,
      );
      field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    });
    await page.getByText("Left out of what was pasted").waitFor();
    const said = await page.getByText("Left out of what was pasted").textContent();
    for (const element of ["<table>", "<img>", "<iframe>", "<script>"]) expect(said).toContain(element);
    await expect
      .poll(async () => (await editor.draftOf(quiz)).document.pages[0].components[0].html_text)
      .toBe(
        "<h2>Oats</h2><p><strong>They <em>calm</em> you.</strong></p><p>Soft</p><ul><li>One</li><li>Two<ol><li>Three</li></ol></li></ul>",
      );
    expect(await page.evaluate(() => Reflect.get(window, "pasted"))).toBeUndefined();
    expect(await page.getByText("Taken out of this text").count()).toBe(0);
  });

  it("says of a formula that divides by zero that it has no value [editor.formulas]", async () => {
    const document = quizDocument([pageOf("a", [number("age"), formula("share", "Share", "100 / (age - 30)")])]);
    const { page } = await editor.edit(await editor.quiz({ document }));
    await page.getByRole("button", { name: /^Share/ }).click();
    await page.getByText("With the preview's answers: no value").waitFor();
    const age = page.getByTestId("preview").getByLabel("age");
    await age.fill("30");
    await age.press("Tab");
    await page.getByText("1 answer given here").waitFor();
    await page.getByText("no value (an answer is missing, or it divides by zero)").waitFor();
    await age.fill("40");
    await age.press("Tab");
    await page.getByText("With the preview's answers: 10").waitFor();
  });

  it("says of a picture that does not load that shoppers see none [editor.pictures]", async () => {
    const image_url = "https://pictures.example/gone.png";
    const quiz = await editor.quiz({ document: quizDocument([pageOf("a", [text("why")], { image_url })]) });
    const opened = await editor.open();
    await opened.page.route("https://pictures.example/**", (route) => route.fulfill({ status: 404, body: "" }));
    await opened.open(editorPath(quiz));
    await firstPage(opened);
    await opened.page.getByText("No picture could be loaded from there: shoppers see none.").waitFor();
    expect(await opened.violations()).toEqual([]);
  });

  it("publishes nothing that somebody else published or changed meanwhile, and says so [editor.publish]", async () => {
    const quiz = await editor.quiz({ document: sampleQuiz(), publish: true });
    const opened = await editor.edit(quiz);
    const { page } = opened;
    await firstPage(opened);
    await title(opened).fill("Mira's title");
    await expect.poll(() => titleOf(quiz)).toBe("Mira's title");
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("cell", { name: "Mira's title" }).waitFor();
    // while she reads, somebody else changes it and publishes that
    const { revision } = await editor.draftOf(quiz);
    const theirs = sampleQuiz();
    theirs.pages[0]!.title = "Noor's title";
    const request = (method: string, url: string, body: unknown, tag: number) =>
      noor.request(method, url, { store: editor.store, body, headers: { "if-match": `"${tag}"` } });
    expect((await request("PUT", `/quizzes/${quiz.id}/draft`, theirs, revision)).status).toBe(200);
    expect((await request("POST", `/quizzes/${quiz.id}/draft/publish`, {}, revision + 1)).status).toBe(200);
    await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    await page.getByRole("dialog").getByText("noor@example.com").first().waitFor();
    const live = await editor.t.request(
      "GET",
      `/storefront/v1/quizzes/${quiz.id}?store=${editor.store.publishableKey}`,
    );
    expect(live.body).toMatchObject({
      version_number: 2,
      document: { pages: [{ title: "Noor's title" }, {}, {}, {}] },
    });
    await page.keyboard.press("Escape");
    await page.getByText("noor@example.com changed this quiz").waitFor();
    await title(opened).fill("Mira again");
    await page.getByRole("button", { name: "See both" }).click();
    await page.getByRole("cell", { name: "Noor's title" }).waitFor();
    expect(await titleOf(quiz)).toBe("Noor's title");
  });

  it("says of a file that is no quiz that it holds none, and changes nothing [editor.create]", async () => {
    const quiz = await editor.quiz({ document: sampleQuiz() });
    const { page } = await editor.edit(quiz);
    const file = { name: "holiday.json", mimeType: "application/json", buffer: Buffer.from("[1, 2") };
    await page.locator('input[type="file"]').setInputFiles(file);
    await page.getByText("holiday.json holds no quiz document.").waitFor();
    expect(await editor.draftOf(quiz)).toMatchObject({ revision: 1 });
  });

  it("lets an author end the assistant's run, and go on from what it did [editor.assistant]", async () => {
    const quiz = await editor.quiz({ document: sampleQuiz() });
    await editor.t.database.transaction((tx) => aiRunStart(tx, editor.t.foundations, quiz.id, "Mira's assistant"));
    const opened = await editor.edit(quiz);
    const { page } = opened;
    await page.getByText("Mira's assistant edits this quiz").waitFor();
    await page.getByRole("button", { name: "End its run" }).click();
    // its name is drawn last
    const dialog = page.getByRole("dialog", { name: "End the assistant's run?" });
    await dialog.waitFor();
    expect(await opened.violations()).toEqual([]);
    await dialog.getByRole("button", { name: "End the run" }).click();
    await page.getByText("You can edit the quiz again.").waitFor();
    await firstPage(opened);
    await title(opened).fill("By hand");
    await expect.poll(() => titleOf(quiz)).toBe("By hand");
  });

  it("gives what was not saved to nobody but who typed it [editor.killed-tab]", async () => {
    const quiz = await editor.quiz({ document: quizDocument([pageOf("a", [])]) });
    const opened = await editor.edit(quiz);
    await nothingIsSaved(opened);
    await firstPage(opened);
    await title(opened).fill("Typed by Mira alone");
    await isKept(opened, "Typed by Mira alone");
    const context = opened.page.context();
    await opened.page.close();
    const cookies = await context.cookies();
    const theirs = noor
      .cookie()
      .split("; ")
      .map((pair) => {
        const [name = "", ...value] = pair.split("=");
        return { name, value: value.join("="), url: editor.t.url };
      });
    await context.clearCookies();
    await context.addCookies(theirs);
    const other = await openTab(editor.t, opened, editorPath(quiz));
    await firstPage(other);
    expect(await title(other).inputValue()).toBe("a");
    await other.close();
    await context.clearCookies();
    await context.addCookies(cookies);
    const again = await openTab(editor.t, opened, editorPath(quiz));
    await again.page.getByText("What you typed last time and was not saved is here again").waitFor();
    await expect.poll(() => titleOf(quiz)).toBe("Typed by Mira alone");
    await again.close();
  });

  it("gives each of two tabs what was typed in it, and neither what the other keeps [editor.killed-tab]", async () => {
    const quiz = await editor.quiz({ document: quizDocument([pageOf("a", [])]) });
    const opened = await editor.edit(quiz);
    await nothingIsSaved(opened);
    await firstPage(opened);
    await title(opened).fill("Typed in one tab");
    await isKept(opened, "Typed in one tab");
    // a tab that a browser duplicates begins with the other's session storage
    const kept = await opened.page.evaluate(() => JSON.stringify({ ...sessionStorage }));
    const other = await opened.page.context().newPage();
    await other.addInitScript((stored) => {
      if (sessionStorage.length === 0)
        for (const [name, value] of Object.entries(JSON.parse(stored))) sessionStorage.setItem(name, String(value));
    }, kept);
    await other.goto(`${editor.t.url}/dashboard${editorPath(quiz)}`);
    await other.locator("[data-row]").first().click();
    expect(await other.getByLabel("Title", { exact: true }).inputValue()).toBe("a");
    await other.close();
    // it is sent by itself, or brought back: whichever comes first
    await opened.page.reload();
    await expect.poll(() => titleOf(quiz)).toBe("Typed in one tab");
  });
});
