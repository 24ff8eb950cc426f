import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import { mistakesIn } from "../../testkit/browser-walk-check.ts";
import { fillCatalog, walkThrough } from "../../testkit/browser-walks.ts";
import { swept } from "../../testkit/sweeps.ts";

/** Many more are the hard suite `player-walks`. */
describe.skipIf((await openBrowser()) === null)("random walks through random quizzes", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    shop = await openEmbeddedShop();
    await fillCatalog(shop);
  });
  afterAll(() => shop.close());

  it("are to the server what the browser showed, page by page, answer by answer, product by product [player.walks]", async () => {
    for (const seed of swept([1, 2, 3, 4, 5, 6], [1, 2])) {
      const walk = await walkThrough(shop, seed, 20);
      const mistakes = await mistakesIn(shop, walk);
      expect(mistakes.length === 0 ? [] : [`seed ${seed}`, ...walk.actions, ...mistakes]).toEqual([]);
    }
  }, 120_000);
});
