import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser, openPage } from "../../../../testkit/browser.ts";
import { builtPlayer } from "../../../../testkit/built-player.ts";
import { openTestDemo, type TestDemo } from "../../../../testkit/demo-shop.ts";
import { listen } from "../../../../testkit/raw-http.ts";
import { press, takeQuiz, wholeRoutine } from "../../../../testkit/taken-quiz.ts";

/** The demo's quizzes on its storefront, from the first page to a second visit. */

const browser = await openBrowser();

let demo: TestDemo;
let url: string;
beforeAll(async () => {
  if (browser === null) return;
  demo = await openTestDemo({ player: (await builtPlayer()).files });
  url = `http://127.0.0.1:${await listen(demo.t.app)}`;
});
afterAll(() => demo?.t.close());

describe.skipIf(browser === null)("the demo's quizzes in a browser", () => {
  it("say what happens next, put a routine into the cart once, and have the result for who comes back [demo.quizzes]", async () => {
    const { page, close } = await openPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${url}/demo`);
    const quiz = page.locator("quiz-store[mode=inline]");
    const count = page.locator("[data-count]");
    expect(await takeQuiz(quiz, wholeRoutine(null))).toBe("Your routine is ready");
    // the answers of this walk lean towards calm, and no other note is shown
    expect(await quiz.getByText(/^Your answers lean towards/).allInnerTexts()).toEqual([
      expect.stringContaining("calm"),
    ]);
    await quiz.getByText("around one word: Calm.").waitFor();
    await quiz.getByRole("heading", { name: "What happens next" }).waitFor();
    await press(quiz, /^Add the whole routine/);
    await quiz.getByRole("link", { name: "Go to cart" }).first().waitFor();
    await expect.poll(async () => Number(await count.innerText())).toBeGreaterThan(1);
    const once = await count.innerText();

    await page.goto(`${url}/demo/cart`);
    await page.goto(`${url}/demo`);
    await quiz.getByRole("heading", { name: "Welcome back" }).waitFor();
    await quiz.getByText("so is your result, if you had come that far").waitFor();
    await press(quiz, "Show me");
    await quiz.getByRole("heading", { name: "Your routine is ready" }).waitFor();
    await quiz.getByRole("link", { name: "Go to cart" }).first().waitFor();
    expect(await quiz.getByRole("button", { name: /^Add the whole routine/ }).count()).toBeLessThanOrEqual(1);
    await expect.poll(() => count.innerText()).toBe(once);
    await close();
  });
});
