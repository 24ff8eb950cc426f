import { signedIn } from "../testkit/accounts.ts";
import { requester } from "../testkit/app.ts";
import { openBrowser } from "../testkit/browser.ts";
import { builtDashboard, builtPlayer } from "../testkit/built-player.ts";
import { openDashboard } from "../testkit/dashboard.ts";
import { killTabs, plannedKills } from "../testkit/dashboard-kills.ts";
import { page, quizDocument } from "../testkit/document-parts.ts";
import { openOwnApi } from "../testkit/own-api.ts";
import { openHardShop, publishQuiz } from "./shops.ts";
import { type HardRun, type HardSuite, sized } from "./suite.ts";

/** Text typed longer ago than this when its tab was killed must be there when the quiz is opened again. */
const lostAtMostMs = 1_000;

/**
 * Editor tabs are killed while somebody types [editor.killed-tab], with a server that answers at once, late or never,
 * and then opened again.
 */
async function run(hard: HardRun): Promise<readonly string[]> {
  const browser = await openBrowser();
  if (browser === null) return ["there is no browser to kill tabs of"];
  hard.atEnd(() => browser.close());
  const [dashboard, player] = await Promise.all([builtDashboard(), builtPlayer()]);
  const { api, opened, foundations, url, close } = await openOwnApi({
    foundations: { dashboard: dashboard.files, player: player.files },
  });
  hard.atEnd(close);
  const store = await openHardShop(opened);
  const app = { request: requester(api.app), database: opened.database, foundations };
  const author = await signedIn(app, "author@example.com", { store, role: "editor" });
  const { quizId } = await publishQuiz(opened, store, quizDocument([page("a", [])]), "Typed");
  const on = await openDashboard({ url }, author);
  hard.atEnd(() => on.close());
  const kills = plannedKills(hard.seed, sized(hard, 50, 3));
  const killed = await killTabs(on, `${url}/dashboard/quizzes/${quizId}/edit`, kills);
  const lost = killed.map(({ lostMs }) => lostMs).sort((a, b) => a - b);
  const median = lost[Math.floor(lost.length / 2)];
  hard.say(
    `${killed.length} kills; of what was typed the last ${median} ms were lost in the median, ${lost.at(-1)} ms at most`,
  );
  return killed.flatMap(({ server, letters, pace, lostMs, strange }, at) => {
    const what = `kill ${at}, ${letters} letters ${pace} ms apart, server answers ${server}`;
    if (strange !== null) return [`${what}: ${JSON.stringify(strange)} was there, which nobody had typed`];
    return lostMs > lostAtMostMs ? [`${what}: what was typed ${lostMs} ms before was lost`] : [];
  });
}

export const suite: HardSuite = {
  name: "dashboard-kills",
  what: "tabs of the editor are killed while somebody types: at most the last second is lost",
  short: 0.12,
  run,
};
