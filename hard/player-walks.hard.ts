import { requester } from "../testkit/app.ts";
import { openBrowser } from "../testkit/browser.ts";
import { type EmbeddedShop, embedded } from "../testkit/browser-quiz.ts";
import { mistakesIn } from "../testkit/browser-walk-check.ts";
import { fillCatalog, walkThrough } from "../testkit/browser-walks.ts";
import { builtPlayer } from "../testkit/built-player.ts";
import { openOwnApi } from "../testkit/own-api.ts";
import { openHardShop } from "./shops.ts";
import { type HardRun, type HardSuite, sized } from "./suite.ts";

async function openShop(hard: HardRun): Promise<EmbeddedShop> {
  const { files } = await builtPlayer();
  const { api, opened, foundations, url, close } = await openOwnApi({ foundations: { player: files } });
  hard.atEnd(close);
  const store = await openHardShop(opened);
  const { database } = opened;
  const request = requester(api.app);
  // real time passes here
  return embedded({ url, database, foundations, request, passTime: () => {}, close }, store);
}

/**
 * Random walks through random valid quizzes with a real browser and the real server [player.walks]: the server's result
 * of the events must match what was on the screen.
 */
async function run(hard: HardRun): Promise<readonly string[]> {
  const browser = await openBrowser();
  if (browser === null) return ["there is no browser to walk with"];
  hard.atEnd(() => browser.close());
  const shop = await openShop(hard);
  await fillCatalog(shop);
  const walks = sized(hard, 300);
  const failures: string[] = [];
  const seen = { sessions: 0, pages: 0, answers: 0, products: 0, actions: 0 };
  for (let at = 0; at < walks; at += 1) {
    const seed = hard.seed + at;
    try {
      const walk = await walkThrough(shop, seed, 12 + Math.floor(hard.random() * 20));
      const mistakes = await mistakesIn(shop, walk);
      if (mistakes.length > 0) failures.push(`seed ${seed}: ${mistakes.join("; ")} after ${walk.actions.join(", ")}`);
      seen.sessions += walk.sessions.length;
      seen.actions += walk.actions.length;
      for (const { pages, answers, products } of walk.sessions) {
        seen.pages += pages.length;
        seen.answers += answers.size;
        seen.products += products.size;
      }
    } catch (error) {
      failures.push(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const { sessions, pages, answers, products, actions } = seen;
  hard.say(
    `${walks} walks, ${actions} actions, ${sessions} sessions, ${pages} pages, ${answers} questions, ${products} products`,
  );
  return failures;
}

export const suite: HardSuite = {
  name: "player-walks",
  what: "random walks through random quizzes in a browser: the server has what was on the screen",
  short: 0.05,
  run,
};
