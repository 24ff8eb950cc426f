import { render } from "preact";
import type { Theme } from "../../engine/document.ts";
import type { Run } from "../run/types.ts";
import style from "../style/screen.css?inline";
import { sheetOf } from "../style/sheet.ts";
import { isDark, themeVariables } from "../style/theme.ts";
import { knownLocale } from "../texts/locales.ts";
import { App, Unreachable } from "./app.tsx";
import { loadParts } from "./parts.ts";
import { newHere, type Stage, settleAll } from "./stage.ts";
import type { OpenScreen, ScreenOptions } from "./types.ts";

/** How long a change waits at most for the pointer that is down. */
const longestPress = 400;

/** Draws a quiz, and draws it again after each change of its run. */
export const openScreen: OpenScreen = (root, options) => {
  const box = openBox(root, options);
  const { listen, signal, end } = listeners();
  followScheme(box.section, options.live.document.presentation?.theme ?? {}, signal);

  const stage = stageOf(options, box);
  let state: "loading" | "ready" | "failed" = "loading";
  stage.draw = (): void => {
    if (signal.aborted || state === "loading") return;
    const { view } = stage.run;
    if (view.page !== stage.view.page || view.position !== stage.view.position) turn(stage);
    stage.view = view;
    render(state === "ready" ? <App stage={stage} /> : <Unreachable stage={stage} />, box.place);
  };
  const schedule = scheduler(() => stage.draw(), box.section, listen);
  let forget = stage.run.onView(schedule);
  // Nobody leaves a field when the page goes: what stands in it counts all the same.
  listen(window, "pagehide", () => settleAll(stage));
  listen(window, "visibilitychange", () => document.visibilityState === "hidden" && settleAll(stage));
  // Drawn once the parts are there: until then whoever opened the screen may start the run.
  const load = async (): Promise<void> => {
    try {
      stage.parts = await loadParts(options.live.document);
      box.adopt(Object.values(stage.parts).flatMap((part) => part?.style ?? []));
      state = "ready";
    } catch {
      state = "failed";
    }
    schedule();
  };
  load();

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
    close(): void {
      forget();
      end();
      render(null, box.place);
      box.close();
    },
  };
};

function stageOf(options: ScreenOptions, { place, say }: Pick<Stage, "place" | "say">): Stage {
  const { run, locale, takesFocus, earlier, live } = options;
  return {
    options,
    texts: { ...options.texts, ...live.document.presentation?.texts },
    locale: knownLocale(locale) ?? "en",
    parts: { fields: null, offers: null, content: null },
    run,
    view: run.view,
    typed: new Map(),
    ticked: new Map(),
    here: newHere(),
    focuses: takesFocus,
    asks: earlier !== null,
    draw: () => {},
    place,
    say,
  };
}

/** Leaves the page that was shown. */
function turn(stage: Stage): void {
  for (const timer of stage.here.timers.values()) clearTimeout(timer);
  stage.here = newHere();
}

/** The box that a quiz is drawn in, with a live region that is there before anything is said. */
function openBox(root: ShadowRoot, { live, locale, dir }: ScreenOptions) {
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
  const own = new Set<CSSStyleSheet>();
  const others = () => [...root.adoptedStyleSheets].filter((sheet) => !own.has(sheet));
  const adopt = (styles: readonly string[]): void => {
    for (const css of styles) own.add(sheetOf(css));
    root.adoptedStyleSheets = [...others(), ...own];
  };
  adopt([style]);
  root.append(section);
  return {
    section,
    place,
    adopt,
    // The same sentence twice is no change, and is not read twice.
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
  // Before the listeners of others: what is settled here is theirs to send.
  const listen: Listen = (on, type, hear) => on.addEventListener(type, hear, { capture: true, signal });
  return { listen, signal, end: () => ended.abort() };
}

function followScheme(section: HTMLElement, theme: Theme, signal: AbortSignal): void {
  const prefers = matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => {
    for (const [name, value] of Object.entries(themeVariables(theme, isDark(theme, prefers.matches)))) {
      section.style.setProperty(name, value);
    }
  };
  apply();
  prefers.addEventListener("change", apply, { signal });
}

/**
 * Draws once for all changes of a moment. While a pointer is down it waits: a button that moves away from below the
 * pointer, since the field that was left changed the page, would never be clicked.
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
