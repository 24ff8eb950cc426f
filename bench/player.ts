import type { Page } from "playwright-core";
import { openPage } from "../testkit/browser.ts";
import { openShopSite } from "../testkit/browser-shop.ts";
import { builtPlayer } from "../testkit/built-player.ts";
import {
  type BuiltPeer,
  buildPeer,
  installedVersion,
  installPeers,
  peers,
  removePeers,
  surveyScript,
} from "./player-peers.ts";
import { storeOfBench } from "./player-store.ts";
import { measureTurns, type TurnFigures } from "./player-turns.ts";
import { median, percentile, printRow } from "./support.ts";

/**
 * Measures what a quiz costs a shopper: bytes by file compared with other packages on npm, then tasks and page turns in
 * a real browser on a processor that is four times slower, compared with SurveyJS with the same questions.
 *
 *   node bench/player.ts [times each is walked through, 5] [times slower, 4]
 */

const rounds = Number(process.argv[2] ?? 5);
const slower = Number(process.argv[3] ?? 4);
const pages = 10;

async function printSizes(): Promise<void> {
  const { manifest } = await builtPlayer();
  printRow("file", "bytes", "gzip", "brotli");
  const sum = { bytes: 0, gzip: 0, brotli: 0 };
  for (const { path, bytes, gzip, brotli } of manifest.files) {
    printRow(path, bytes, gzip, brotli);
    sum.bytes += bytes;
    sum.gzip += gzip;
    sum.brotli += brotli;
  }
  printRow("all files, ten languages", sum.bytes, sum.gzip, sum.brotli);
}

async function printPeers(folder: string): Promise<void> {
  console.log();
  printRow("published by others", "bytes", "gzip", "brotli");
  for (const peer of peers) {
    const { files } = await buildPeer(folder, peer);
    const sum = (of: "bytes" | "gzip" | "brotli"): number => files.reduce((all, file) => all + file[of], 0);
    const versions = await Promise.all(Object.keys(peer.packages).map((name) => installedVersion(folder, name)));
    printRow(`${peer.name} ${versions[0]}`, sum("bytes"), sum("gzip"), sum("brotli"));
    console.log(`  ${peer.remark}`);
  }
}

const labels = ["First", "Second", "Third"];

const survey = {
  pages: Array.from({ length: pages }, (_, index) => ({
    name: `page${index}`,
    title: `Question ${index + 1}`,
    elements: [{ type: "radiogroup", name: `q${index}`, title: "Which one?", choices: labels }],
  })),
};

const surveyPage = `<!doctype html><html lang="en"><title>Survey</title><link rel="stylesheet" href="/style.css">
  <div id="quiz"></div><script>window.surveyModel = ${JSON.stringify(survey)}</script><script type="module" src="/main.js"></script></html>`;

const turnSurvey = async (page: Page): Promise<void> => {
  for (let index = 0; index < pages - 1; index += 1) {
    await page
      .getByText(labels[index % labels.length] ?? "", { exact: true })
      .first()
      .click();
    await page.locator(".sd-navigation__next-btn").click();
    await page.getByText(`Question ${index + 2}`, { exact: true }).waitFor();
  }
};

const turnPlayer = async (page: Page): Promise<void> => {
  for (let index = 0; index < pages - 1; index += 1) {
    await page.getByRole("radio", { name: labels[index % labels.length] ?? "" }).click();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("heading", { name: `Question ${index + 2}`, exact: true }).waitFor();
  }
};

function printTurns(name: string, figures: readonly TurnFigures[]): void {
  const all = (of: keyof TurnFigures): number[] => figures.flatMap((one) => one[of]);
  const most = (values: readonly number[]): string => (values.length === 0 ? "none" : `${Math.max(...values)} ms`);
  const turns = all("turns");
  printRow(
    name,
    most(all("opening")),
    most(all("after")),
    String(turns.length),
    `${median(turns)} ms`,
    `${percentile(turns, 0.95)} ms`,
    most(turns),
  );
}

async function measureWith(name: string, walk: Parameters<typeof measureTurns>[1]): Promise<void> {
  const figures: TurnFigures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { page, faults, close } = await openPage();
    figures.push(await measureTurns(page, walk, slower));
    await close();
    if (faults.length > 0) console.log(`  ${name} reports: ${[...new Set(faults)].join("; ")}`);
  }
  printTurns(name, figures);
}

async function printSpeed(peer: BuiltPeer): Promise<void> {
  console.log(`\n${slower} times slower, ${pages} pages of one choice, ${rounds} times; tasks over 50 ms count`);
  printRow("", "while opening", "after", "clicks", "median", "95 %", "longest");
  const store = await storeOfBench(pages, labels);
  const file = (suffix: string): string => peer.files.find(({ name }) => name.endsWith(suffix))?.text ?? "";
  const served = (type: string, text: string) => (_: unknown, response: import("node:http").ServerResponse) =>
    response.writeHead(200, { "content-type": type }).end(text);
  const quiz = `<!doctype html><html lang="en"><title>Shop</title><script async src="${store.url}/embed.js"></script>
    <quiz-store quiz="${store.quiz}" store="${store.publishableKey}"></quiz-store></html>`;
  const site = await openShopSite({
    "/quiz": quiz,
    "/survey": surveyPage,
    "/main.js": served("text/javascript", file("main.js")),
    "/style.css": served("text/css", file(".css")),
    "/favicon.ico": served("image/x-icon", ""),
  });
  try {
    await measureWith("quiz store", {
      url: `${site.origin}/quiz`,
      opened: (page) => page.getByRole("radio", { name: labels[0] ?? "" }).waitFor(),
      walk: turnPlayer,
    });
    await measureWith("SurveyJS", {
      url: `${site.origin}/survey`,
      opened: (page) =>
        page
          .getByText(labels[0] ?? "", { exact: true })
          .first()
          .waitFor(),
      walk: turnSurvey,
    });
  } finally {
    await site.close();
    await store.close();
  }
}

const folder = await installPeers();
try {
  await printSizes();
  await printPeers(folder);
  const surveyJs = peers.find(({ script }) => script === surveyScript);
  if (!surveyJs) throw new Error("SurveyJS is not among the peers");
  await printSpeed(await buildPeer(folder, surveyJs));
} finally {
  await removePeers(folder);
}
process.exit();
