import { newPageMemory } from "./page-memory.ts";
import type { Browser } from "./types.ts";

/** The real browser: the only place that uses its clock, randomness, storage and network. */

const memory = newPageMemory();

export function openBrowser(): Browser {
  const { locks } = navigator;
  const [arrival] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return {
    memory,
    local: () => localStorage,
    tab: () => sessionStorage,
    isReloaded: arrival?.type === "reload" || arrival?.type === "back_forward",
    now: () => Date.now(),
    random: () => Math.random(),
    newId,
    post: (url, body, { keepalive, patience }) => {
      const signal = AbortSignal.timeout(patience);
      return fetch(url, { method: "POST", body, keepalive, signal, credentials: "omit" });
    },
    beacon,
    // pages without https have no locks
    lock: locks ? async (name, work) => void (await locks.request(name, work)) : null,
    later: (work, ms) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
    on: (moment, hear) => moments[moment](hear),
  };
}

/** Some browsers are set to have no `sendBeacon`: there, a request that may outlive the page. */
function beacon(url: string, body: string): boolean {
  if (navigator.sendBeacon as unknown) return navigator.sendBeacon(url, body);
  fetch(url, { method: "POST", body, keepalive: true, credentials: "omit" }).catch(() => {});
  return true;
}

/** Pages without https lack `crypto.randomUUID`. */
function newId(): string {
  let id = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) id += byte.toString(16).padStart(2, "0");
  return id;
}

function listen(target: EventTarget, type: string, hear: () => void): () => void {
  target.addEventListener(type, hear);
  return () => target.removeEventListener(type, hear);
}

/** Mobile browsers kill hidden pages without notice, and some never fire `pagehide`, so both events count. */
function listenTwice(type: "pagehide" | "pageshow", state: DocumentVisibilityState, hear: () => void): () => void {
  const off = [
    listen(window, type, hear),
    listen(document, "visibilitychange", () => {
      if (document.visibilityState === state) hear();
    }),
  ];
  return () => {
    for (const unsubscribe of off) unsubscribe();
  };
}

const moments = {
  hide: (hear: () => void) => listenTwice("pagehide", "hidden", hear),
  show: (hear: () => void) => listenTwice("pageshow", "visible", hear),
  online: (hear: () => void) => listen(window, "online", hear),
};
