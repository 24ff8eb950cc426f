/** @jsxImportSource #draw */
import type { Looks } from "../../engine/looks.ts";
import { draw } from "../draw/jsx-runtime.ts";
import type { Run } from "../run/types.ts";
import content from "../style/content.css?inline";
import fields from "../style/fields.css?inline";
import offers from "../style/offers.css?inline";
import screen from "../style/screen.css?inline";
import { sheetOf } from "../style/sheet.ts";
import { knownLocale } from "../texts/locales.ts";
import { App } from "./app.tsx";
import { commitFields } from "./commit-fields.ts";
import { phonesFor } from "./phone-field.ts";
import type { ScreenOptions } from "./stage.ts";
import { newHere, type Stage } from "./stage.ts";
import type { Screen } from "./types.ts";

/** How many ms a rendering waits at most while a pointer is down. */
const longestPress = 400;

/**
 * Draws a quiz into an open shadow root, and again after each change of its run. The first drawing is deferred a
 * moment, so that the caller can start the run.
 */
export function openScreen(root: ShadowRoot, options: ScreenOptions): Screen {
  const box = openBox(root, options);
  const { listen, signal, end } = listeners();
  followScheme(box.section, options.live.player.looks, signal);

  const stage = stageOf(options, box);
  stage.drawAgain = (): void => {
    if (signal.aborted) return;
    const { view } = stage.run;
    if (view.page !== stage.view.page || view.position !== stage.view.position) turn(stage);
    stage.view = view;
    options.brought.beforeDrawing?.(stage);
    draw(<App stage={stage} />, box.place);
    const { pages } = stage.options.live.document;
    void phonesFor(stage, [view.page, view.page && pages[pages.indexOf(view.page) + 1]]);
  };
  const schedule = scheduler(() => stage.drawAgain(), box.section, listen);
  let forget = stage.run.onView(schedule);
  // Closing the page fires no blur, so commit what is in the fields.
  listen(window, "pagehide", () => commitFields(stage));
  listen(window, "visibilitychange", () => document.visibilityState === "hidden" && commitFields(stage));
  schedule();

  return {
    get asks() {
      return stage.asks;
    },
    show(run: Run): void {
      forget();
      turn(stage);
      Object.assign(stage, { run, view: run.view, typed: new Map(), ticked: new Map(), focuses: true, asks: false });
      forget = run.onView(schedule);
      schedule();
    },
    // the element is left empty [player.screen-closed]
    close(): void {
      forget();
      end();
      box.close();
    },
  };
}

function stageOf(options: ScreenOptions, { place, say }: Pick<Stage, "place" | "say">): Stage {
  const { run, locale, takesFocus, earlier, live } = options;
  return {
    options,
    texts: { ...options.texts, ...live.document.presentation?.texts },
    locale: knownLocale(locale) ?? "en",
    run,
    view: run.view,
    typed: new Map(),
    ticked: new Map(),
    phones: null,
    phonesComing: null,
    here: newHere(),
    focuses: takesFocus,
    asks: earlier !== null,
    drawAgain: () => {},
    place,
    say,
  };
}

/** Resets the state of the page that was shown. */
function turn(stage: Stage): void {
  for (const timer of stage.here.timers.values()) clearTimeout(timer);
  stage.here = newHere();
}

/**
 * The box that a quiz is drawn in, with a live region that exists before anything is announced [player.live-region].
 */
function openBox(root: ShadowRoot, { live, locale, dir, brought }: ScreenOptions) {
  const section = document.createElement("section");
  section.className = "quiz";
  section.dir = dir;
  section.lang = knownLocale(locale) ?? "en";
  section.setAttribute("aria-label", live.name);
  const region = document.createElement("p");
  region.className = "unseen";
  region.setAttribute("role", "status");
  const place = document.createElement("div");
  place.className = "room";
  section.append(region, place);
  const own = sheetOf(screen + fields + content + offers + (brought.css ?? ""));
  const others = () => root.adoptedStyleSheets.filter((sheet) => sheet !== own);
  root.adoptedStyleSheets = [...others(), own];
  root.append(section);
  return {
    section,
    place,
    // Repeating the same sentence is no change and would not be read again.
    say: (text: string): void => {
      region.textContent = "";
      requestAnimationFrame(() => {
        region.textContent = text;
      });
    },
    close(): void {
      root.adoptedStyleSheets = others();
      section.remove();
    },
  };
}

type Listen = (on: EventTarget, type: string, hear: (event: Event) => void) => void;

function listeners(): { listen: Listen; signal: AbortSignal; end(): void } {
  const ended = new AbortController();
  const { signal } = ended;
  // Captures, so that the page's own handlers cannot stop the event first.
  const listen: Listen = (on, type, hear) => on.addEventListener(type, hear, { capture: true, signal });
  return { listen, signal, end: () => ended.abort() };
}

function followScheme(section: HTMLElement, { light, dark }: Looks, signal: AbortSignal): void {
  const prefers = matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => {
    for (const [name, value] of Object.entries((prefers.matches && dark) || light || dark || {})) {
      section.style.setProperty(name, value);
    }
  };
  apply();
  prefers.addEventListener("change", apply, { signal });
}

/**
 * Draws once for all changes of a moment, and waits while a pointer is down: leaving a field may change the page, and a
 * button that moved away from under the pointer would never be clicked.
 */
function scheduler(draw: () => void, section: HTMLElement, listen: Listen): () => void {
  let isDown = false;
  let waits = false;
  let timer = 0;
  const run = (): void => {
    waits = false;
    draw();
  };
  const release = (): void => {
    clearTimeout(timer);
    isDown = false;
    if (waits) run();
  };
  listen(section, "pointerdown", () => {
    isDown = true;
    clearTimeout(timer);
    timer = window.setTimeout(release, longestPress);
  });
  // After the click that follows.
  for (const type of ["pointerup", "pointercancel"]) listen(window, type, () => window.setTimeout(release));
  return () => {
    if (waits) return;
    waits = true;
    if (!isDown) queueMicrotask(() => waits && run());
  };
}
