import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import { openBrowser, openPage } from "../testkit/browser.ts";
import { pick, press, slide, takeQuiz, type Ways, wholeRoutine } from "../testkit/taken-quiz.ts";
import { dashboardScreens } from "./screenshots-dashboard.ts";

/**
 * `node scripts/screenshots.ts`: takes pictures of the demo for the documents, each kind of question on a phone and on
 * a desktop. Starts the program with a folder of its own; with an address it uses the demo shop that runs there, and
 * with a sign-in link it only takes those of its dashboard.
 */

const root = join(import.meta.dirname, "..");
const folder = join(root, "docs/images");
/** maximum size of a picture, so that the repository stays small */
const mostBytes = 80_000;

const devices = {
  phone: { width: 375, height: 740 },
  desktop: { width: 1440, height: 810 },
} as const;
type Device = keyof typeof devices;

interface Demo {
  /** can be used once; null: the demo was running already and no link was given */
  sign_in_url: string | null;
  storefront_url: string;
  publishable_key: string;
  quiz_ids: string[];
}

/** The routine's pages that show each kind of question. */
const kinds: Readonly<Record<string, string>> = {
  "Two minutes to calmer skin": "content",
  "Your skin": "choice",
  "What you would change": "choices",
  "How your skin reacts": "slider",
  "About those breakouts": "image",
  "A little about you": "number-date",
  "Time and money": "formula",
  "Anything to leave out?": "text",
  "Keep your routine": "contact",
  "Your routine is ready": "products",
};

const consultation: Ways = {
  "What shall we talk about?": async (quiz) => {
    await pick(quiz, "Building a routine from nothing");
    await quiz.locator("button[type=submit]").click();
  },
};

async function take(page: Page, name: string, device: Device): Promise<void> {
  const path = join(folder, `${name}-${device}.jpg`);
  // the pointer would highlight an option
  await page.mouse.move(0, 0);
  await page.waitForLoadState("networkidle");
  // a slider's changes are only applied after it has rested
  await pause(600);
  // placeholders of loading content pulse until it is there
  await page.waitForFunction(
    "document.getAnimations().every((each) => each.effect.getTiming().iterations !== Number.POSITIVE_INFINITY)",
  );
  await page.evaluate("document.fonts.ready.then(() => document.getAnimations().forEach((each) => each.finish()))");
  for (const quality of [82, 72, 62, 52, 44, 36, 28]) {
    await page.screenshot({ path, type: "jpeg", quality, animations: "disabled" });
    if ((await stat(path)).size < mostBytes) break;
  }
  const { size } = await stat(path);
  if (size >= mostBytes) throw new Error(`${path} has ${size} bytes, at most ${mostBytes}`);
  console.log(`${name}-${device}.jpg ${(size / 1_000).toFixed(0)} KB`);
}

async function onPage(device: Device, url: string, work: (page: Page) => Promise<unknown>): Promise<void> {
  const { page, faults, close } = await openPage({ viewport: devices[device], colorScheme: "light" });
  await page.goto(url, { waitUntil: "networkidle" });
  await work(page);
  if (faults.length > 0) throw new Error(`${url}: ${faults.join("; ")}`);
  await close();
}

/**
 * Questions are pictured with answers; each entry gives one, and the walk through the pages gives its own afterwards.
 */
const prepared: Readonly<Record<string, (quiz: Locator) => Promise<unknown>>> = {
  "What you would change": (quiz) => pick(quiz, "Dullness and dehydration"),
  "How your skin reacts": (quiz) => slide(quiz, -1),
  "About those breakouts": (quiz) => pick(quiz, "Cheeks"),
  "A little about you": (quiz) => quiz.getByLabel("How old are you?").fill("34"),
  "Time and money": (quiz) => pick(quiz, "Three or four").then(() => slide(quiz, 2)),
  "Anything to leave out?": (quiz) => quiz.getByRole("textbox").fill("Lavender, and most perfumes"),
  "Keep your routine": (quiz) => quiz.getByLabel("Where should we send your routine?").fill("ada@example.com"),
};

async function takeAll(device: Device, demo: Demo): Promise<void> {
  const { storefront_url: shop, publishable_key: key, quiz_ids: ids } = demo;
  const [routine, gift, booking] = ids;
  const hosted = (quiz: string | undefined) => new URL(`/q/${key}/${quiz}`, shop).href;
  await onPage(device, shop, async (page) => {
    await page.locator("quiz-store[mode=inline]").getByRole("heading").first().waitFor();
    await take(page, "demo", device);
    await page.locator(`main [data-quizstore-open="${gift}"]`).first().click();
    await page.locator("quiz-store[mode=popup]").getByRole("heading").first().waitFor();
    await take(page, "popup", device);
    await page.keyboard.press("Escape");
    await page.locator(`main [data-quizstore-open="${booking}"]`).first().click();
    await page.locator("quiz-store[mode=drawer]").getByRole("heading").first().waitFor();
    await take(page, "drawer", device);
  });
  await onPage(device, hosted(routine), async (page) => {
    const quiz = page.locator("quiz-store");
    await takeQuiz(quiz, wholeRoutine("ada@example.com"), async (title) => {
      await prepared[title]?.(quiz);
      const kind = kinds[title];
      if (kind !== undefined) await take(page, kind, device);
    });
  });
  await onPage(device, hosted(booking), async (page) => {
    const quiz = page.locator("quiz-store");
    const title = await takeQuiz(quiz, consultation);
    if (title !== "Pick a time") throw new Error(`the consultation leads to ${title}`);
    await take(page, "date-time", device);
    await press(quiz, "Next");
    await take(page, "missing", device);
  });
}

interface Started {
  demo: Demo;
  filled: () => Promise<void>;
  stop: () => Promise<void>;
}

async function startDemo(): Promise<Started> {
  const data = await mkdtemp(join(tmpdir(), "quizstore-screenshots-"));
  const args = ["server/main/quizstore.ts", "start", "--data", data, "--port", "0", "--json"];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
  });
  let logged = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    logged += chunk;
  });
  const filled = async () => {
    // the pictures need the whole month of shoppers, not half of them
    while (!logged.includes("the demo shop is filled")) {
      if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}`);
      await pause(200);
    }
  };
  while (!printed.endsWith("}\n")) {
    if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}`);
    await pause(200);
  }
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(data, { recursive: true, force: true });
  };
  return { demo: (JSON.parse(printed) as { demo: Demo }).demo, filled, stop };
}

/** Reads a running demo shop's ids from its page. */
async function runningDemo(url: string, signIn: string | undefined): Promise<Demo> {
  const text = await (await fetch(url)).text();
  const [publishable_key = ""] = /pub_\w{32}/.exec(text) ?? [];
  const ids = [...text.matchAll(/<quiz-store quiz="(quiz_\w+)" store="[^"]+" mode="(\w+)"/g)];
  const of = (mode: string) => ids.find(([, , given]) => given === mode)?.[1] ?? "";
  return {
    sign_in_url: signIn ?? null,
    storefront_url: url,
    publishable_key,
    quiz_ids: [of("inline"), of("popup"), of("drawer")],
  };
}

async function playerIsBuilt({ storefront_url: url }: Demo): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const type = (await fetch(new URL("/embed.js", url))).headers.get("content-type") ?? "";
    if (type.includes("javascript")) return;
    await pause(200);
  }
  throw new Error("the player is not built after a minute");
}

async function takeDashboard({ sign_in_url: link, quiz_ids: [quiz = ""] }: Demo): Promise<void> {
  if (link === null) return;
  const { page, faults, close } = await openPage({ viewport: devices.desktop, colorScheme: "light" });
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click({ timeout: 90_000 });
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  for (const [device, viewport] of Object.entries(devices)) {
    await page.setViewportSize(viewport);
    for (const { name, path, open, dark, phone } of dashboardScreens(quiz)) {
      if (device === "phone" && !phone) continue;
      await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
      await page.goto(new URL(`/dashboard${path}`, link).href, { waitUntil: "networkidle" });
      await page.locator("h1").first().waitFor();
      await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
      await open?.(page);
      await take(page, `dashboard-${name}`, device as Device);
    }
  }
  // the editor shows a draft unchanged, and its pictures are at an address of the shop that does not exist
  const own = faults.filter((fault) => !fault.startsWith("Failed to load resource"));
  if (own.length > 0) throw new Error(own.join("; "));
  await close();
}

const [given, link] = process.argv.slice(2);
const nothing = async () => undefined;
const running = async (url: string) => ({ demo: await runningDemo(url, link), filled: nothing, stop: nothing });
const { demo, filled, stop } = given ? await running(given) : await startDemo();
try {
  await playerIsBuilt(demo);
  await mkdir(folder, { recursive: true });
  for (const device of Object.keys(devices) as Device[]) if (link === undefined) await takeAll(device, demo);
  await filled();
  await takeDashboard(demo);
} finally {
  await (await openBrowser())?.close();
  await stop();
}
