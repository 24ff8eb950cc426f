import type { Page } from "playwright-core";
import type { QuizDocument } from "../engine/document.ts";
import type { QuizEventName, QuizEvents } from "../player/embed/types.ts";
import type { TestStore } from "./app.ts";
import { openShopPage, type ShopPage, type ShopPageOptions } from "./browser-shop.ts";
import { openPlayerApp, type PlayerApp } from "./built-player.ts";
import { makeQuiz, type TestQuiz } from "./quizzes.ts";

/** A shop with a published quiz, and pages that embed it like a shop's. */

export type Told = {
  [Name in QuizEventName]: { name: Name; detail: QuizEvents[Name] };
}[QuizEventName];

const names: QuizEventName[] = [
  "ready",
  "opened",
  "page",
  "answered",
  "result",
  "product-added",
  "finished",
  "closed",
  "error",
];

export interface EmbeddedPage extends ShopPage {
  /** `quizstore:*` events that bubbled to the document since the page was loaded, in order */
  told(): Promise<Told[]>;
  /** waits until an event of that name has been dispatched that many times, and returns the last */
  heard<Name extends QuizEventName>(name: Name, times?: number): Promise<QuizEvents[Name]>;
}

/** The parts of a server with the player that are needed here. */
export type EmbeddedServer = Pick<PlayerApp, "url" | "database" | "foundations" | "request" | "passTime" | "close">;

export interface EmbeddedShop {
  t: EmbeddedServer;
  store: TestStore;
  quiz: TestQuiz;
  /** the quiz's `<quiz-store>` element */
  tag(attributes?: string, quizId?: string): string;
  /** the script element */
  script: string;
  /** opens a page with the script and this body */
  open(
    body: string,
    options?: ShopPageOptions & { head?: string; doctype?: string; script?: string },
  ): Promise<EmbeddedPage>;
  close(): Promise<void>;
}

export async function openEmbeddedShop(document?: QuizDocument): Promise<EmbeddedShop> {
  const t = await openPlayerApp();
  return embedded(t, await t.store(), document);
}

export async function embedded(t: EmbeddedServer, store: TestStore, document?: QuizDocument): Promise<EmbeddedShop> {
  const quiz = await makeQuiz(t, store, { publish: true, ...(document && { document }) });
  const script = `<script async src="${t.url}/embed.js"></script>`;
  return {
    t,
    store,
    quiz,
    script,
    tag: (attributes = "", quizId = quiz.id) =>
      `<quiz-store quiz="${quizId}" store="${store.publishableKey}" ${attributes}></quiz-store>`,
    open: async (body, { head = "", doctype = "<!doctype html>", script: own = script, prepare, ...options } = {}) => {
      const html = `${doctype}<html lang="en"><head><title>Shop</title>${head}${own}</head><body>${body}</body></html>`;
      const opened = await openShopPage(html, {
        ...options,
        prepare: async (page) => {
          await page.addInitScript(listen, names);
          await prepare?.(page);
        },
      });
      const told = () => toldIn(opened.page);
      return { ...opened, told, heard: (name, times = 1) => heardIn(opened.page, name, times) };
    },
    close: () => t.close(),
  };
}

interface Listening {
  quizstoreTold?: { name: string; detail: unknown }[];
}

function listen(all: string[]): void {
  const told: { name: string; detail: unknown }[] = [];
  (window as Listening).quizstoreTold = told;
  let isGoing = false;
  const keep = () => {
    try {
      sessionStorage.setItem("told", JSON.stringify(told));
    } catch {
      // a frame without storage
    }
  };
  // Chromium calls a page's `pagehide` listeners in the order of their registration: the quiz's last events come after
  // this one.
  addEventListener("pagehide", () => {
    isGoing = true;
    keep();
  });
  for (const name of all) {
    document.addEventListener(`quizstore:${name}`, (event) => {
      told.push({ name, detail: structuredClone((event as CustomEvent).detail) });
      if (isGoing) keep();
    });
  }
}

/** The events of the previous page of the same origin, until it was left. */
export const toldBefore = (page: Page): Promise<Told[]> =>
  page.evaluate(() => JSON.parse(sessionStorage.getItem("told") ?? "[]"));

const toldIn = (page: Page): Promise<Told[]> =>
  page.evaluate(() => ((window as Listening).quizstoreTold ?? []) as Told[]);

async function heardIn<Name extends QuizEventName>(page: Page, name: Name, times: number): Promise<QuizEvents[Name]> {
  const found = await page.waitForFunction(
    ([wanted, least]) => {
      const told = ((window as Listening).quizstoreTold ?? []).filter((one) => one.name === wanted);
      return told.length >= least ? (told[least - 1]?.detail ?? null) : null;
    },
    [name, times] as const,
  );
  return (await found.jsonValue()) as QuizEvents[Name];
}
