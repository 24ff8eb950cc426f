import { isObject } from "../../../engine/read.ts";
import { readEditable } from "../document/editable.ts";
import type { Draft, LocalCopies, LocalCopy } from "./types.ts";

/**
 * Copies of unsaved drafts in the browser's storage [editor.killed-tab]: one per person, quiz and tab, so that nobody
 * gets somebody else's text and two tabs with the same quiz do not take each other's. A living tab holds a lock with
 * its copy's name; a copy whose tab is gone goes to the next editor.
 */

export interface CopyOwner {
  person: string;
  quizId: string;
}

const prefix = ({ person, quizId }: CopyOwner): string => `quizstore-draft ${person} ${quizId} `;

export interface BrowserCopies extends LocalCopies {
  /**
   * Takes this tab's copy, else the newest one without a living tab, which then belongs to this tab. The others stay
   * for later.
   */
  takeLeft(): Promise<LocalCopy | null>;
  close(): void;
}

/** @param random names a tab */
export function browserCopies(owner: CopyOwner, random: () => string): BrowserCopies {
  let own = prefix(owner) + tabName(random);
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const claim = async (): Promise<void> => {
    if (await hold(own, released)) return;
    // a duplicated tab starts with the other tab's name
    own = prefix(owner) + newTabName(random);
    await hold(own, released);
  };
  const claimed = claim();
  let left: Promise<LocalCopy | null> | null = null;
  return {
    write: (copy) => attempt(() => localStorage.setItem(own, JSON.stringify(copy))),
    clear: () => void attempt(() => localStorage.removeItem(own)),
    takeLeft() {
      left ??= claimed.then(() => takeLeft(owner, own));
      return left;
    },
    close: release,
  };
}

async function takeLeft(owner: CopyOwner, own: string): Promise<LocalCopy | null> {
  const living = await livingTabs();
  const [found] = keysOf(owner)
    .filter((key) => key === own || !living.has(key))
    .flatMap((key) => {
      const copy = readCopy(key);
      return copy ? [{ key, copy }] : [];
    })
    .sort((a, b) => Number(b.key === own) - Number(a.key === own) || b.copy.at - a.copy.at);
  if (!found) return null;
  const { key, copy } = found;
  // write before removing, so that the copy always exists under one of the two names
  if (key !== own && attempt(() => localStorage.setItem(own, JSON.stringify(copy))))
    attempt(() => localStorage.removeItem(key));
  return copy;
}

/** Ms to wait: a reloaded page may find its own lock not yet released. */
const patienceMs = 300;

/** Whether this tab now holds the name; always true in browsers without locks. */
function hold(name: string, until: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(patienceMs);
    const request = navigator.locks?.request(name, { signal }, () => {
      resolve(true);
      return until;
    });
    if (request === undefined) resolve(true);
    else request.catch(() => resolve(!signal.aborted));
  });
}

function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    // storage is full or denied: the save state says so
    return false;
  }
}

function keysOf(owner: CopyOwner): string[] {
  const found: string[] = [];
  attempt(() => {
    for (let index = 0; index < localStorage.length; index += 1) {
      const key = localStorage.key(index);
      if (key?.startsWith(prefix(owner))) found.push(key);
    }
  });
  return found;
}

function readCopy(key: string): LocalCopy | null {
  try {
    const copy: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    const fields: Record<string, unknown> = isObject(copy) ? copy : {};
    const draft = readDraft(fields);
    const { revision, sent, at } = fields;
    if (draft === null || typeof revision !== "number") return null;
    return { ...draft, revision, sent: isObject(sent) ? readDraft(sent) : null, at: Number(at) || 0 };
  } catch {
    return null;
  }
}

function readDraft({ name, document }: Record<string, unknown>): Draft | null {
  return typeof name === "string" && isObject(document) ? { name, document: readEditable(document).document } : null;
}

/** Without locks every other tab may be alive, so all keep their copies. */
async function livingTabs(): Promise<{ has(key: string): boolean }> {
  try {
    const { held = [] } = await navigator.locks.query();
    return new Set(held.map(({ name }) => name ?? ""));
  } catch {
    return { has: () => true };
  }
}

const tabKey = "quizstore-tab";

/** This tab's name, which survives reloads and the browser restoring the tab. */
function tabName(random: () => string): string {
  let known: string | null = null;
  attempt(() => {
    known = sessionStorage.getItem(tabKey);
  });
  return known ?? newTabName(random);
}

function newTabName(random: () => string): string {
  const name = random();
  attempt(() => sessionStorage.setItem(tabKey, name));
  return name;
}
