import { canonical } from "../../../engine/difference.ts";
import { problemOf } from "../../app/problems.ts";
import { readEditable } from "../document/editable.ts";
import type { Draft, DraftServer, LocalCopies, Refusal, SavedAnswer, SaveState, ServerDraft, Timers } from "./types.ts";
import { NotSaved } from "./types.ts";

/**
 * Keeps what an author does [editor.autosave]: in the browser at once, on the server a moment later, one request at a time.
 * What the server does not take stays in the browser, and nothing of anybody else's is overwritten: once somebody else has
 * changed the draft, nothing is sent until the author has said what shall become of it.
 */
export interface Autosave {
  readonly state: SaveState;
  /** whether something is not on the server yet */
  readonly isDirty: boolean;
  /** whether something was changed since the last request */
  readonly isWaiting: boolean;
  readonly revision: number;
  /** something was changed */
  changed(draft: Draft): void;
  /** the page goes: what was typed is kept here at once */
  keepNow(): void;
  /** sends what waits now; resolves once nothing waits, or it cannot be sent */
  flush(): Promise<void>;
  /** tries again what could not be sent, such as when the network is back [editor.offline] */
  retry(): void;
  /** goes on from a draft that the server has: what was changed meanwhile is sent on top of it, or dropped */
  rebase(server: Pick<ServerDraft, "revision" | "saved_at" | "saved_by">, draft: Draft | null): void;
  /** what is here was made of an older draft than the server's: the author says what shall become of it */
  stop(copy: Draft & { revision: number }, server: Pick<ServerDraft, "saved_at" | "saved_by">): void;
  onState(hear: () => void): () => void;
  onSaved(hear: (answer: SavedAnswer) => void): () => void;
  close(): void;
}

export interface AutosaveGiven {
  server: DraftServer;
  copies: LocalCopies;
  timers: Timers;
  opened: Pick<ServerDraft, "revision" | "saved_at" | "saved_by">;
}

/** After the last key; and not later than this after the first one that was not sent. */
export const quietMs = 500;
export const longestMs = 1_000;
/** Between what is typed and its copy in the browser. */
export const keepMs = 200;
/** Of what may have arrived, so many are remembered: each differs from the others by what was typed between two tries. */
const unheardAtMost = 50;
const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

/** Whether the server has this draft, whatever fields it gave it. */
export const isSameDraft = ({ name, document }: Draft, there: Pick<ServerDraft, "name" | "document">): boolean =>
  name === there.name && canonical(document) === canonical(readEditable(there.document).document);

export const openAutosave = (given: AutosaveGiven): Autosave => new DraftAutosave(given);

class DraftAutosave implements Autosave {
  readonly #server: DraftServer;
  readonly #copies: LocalCopies;
  readonly #timers: Timers;
  #state: SaveState;
  #revision: number;
  /** what is not on the server; null: nothing */
  #waiting: Draft | null = null;
  /** what is on its way */
  #sending: Promise<void> | null = null;
  /** what was sent and may have arrived, though nobody said so; the newest last */
  #unheard: readonly Draft[] = [];
  #firstWaited = 0;
  #retries = 0;
  #keptHere = true;
  /** a copy is due */
  #keeps = false;
  #isClosed = false;
  #callOffSave = () => {};
  #callOffKeep = () => {};
  readonly #hearState = new Set<() => void>();
  readonly #hearSaved = new Set<(answer: SavedAnswer) => void>();

  constructor({ server, copies, timers, opened }: AutosaveGiven) {
    this.#server = server;
    this.#copies = copies;
    this.#timers = timers;
    this.#revision = opened.revision;
    this.#state = { kind: "saved", at: opened.saved_at, by: opened.saved_by };
  }

  get state(): SaveState {
    return this.#state;
  }

  get isDirty(): boolean {
    return this.#waiting !== null || this.#sending !== null;
  }

  get isWaiting(): boolean {
    return this.#waiting !== null;
  }

  get revision(): number {
    return this.#revision;
  }

  onState(hear: () => void): () => void {
    this.#hearState.add(hear);
    return () => void this.#hearState.delete(hear);
  }

  onSaved(hear: (answer: SavedAnswer) => void): () => void {
    this.#hearSaved.add(hear);
    return () => void this.#hearSaved.delete(hear);
  }

  changed(draft: Draft): void {
    // what is refused again and again is not sent at each key
    if (this.#waiting === null || this.#state.kind === "refused") this.#firstWaited = this.#timers.now();
    this.#waiting = draft;
    this.#keepSoon();
    if (this.#mayGoOn()) this.#saveSoon();
    // this may mend what was refused
    if (this.#state.kind === "saved" || this.#state.kind === "refused") this.#turn({ kind: "waiting" });
  }

  keepNow(): void {
    this.#callOffKeep();
    this.#keeps = false;
    const draft = this.#waiting;
    if (draft === null) return;
    const copy = { ...draft, revision: this.#revision, sent: this.#unheard.at(-1) ?? null, at: this.#timers.now() };
    this.#keptHere = this.#copies.write(copy);
  }

  async flush(): Promise<void> {
    if (this.#sending) await this.#sending;
    while (this.#waiting !== null && this.#mayGoOn()) {
      await this.#send();
      if (this.#state.kind !== "saved" && this.#state.kind !== "waiting") return;
    }
  }

  retry(): void {
    if (!["away", "signed-out", "assistant", "refused"].includes(this.#state.kind)) return;
    this.#retries = 0;
    if (this.#waiting !== null) void this.#send();
  }

  rebase(server: Pick<ServerDraft, "revision" | "saved_at" | "saved_by">, draft: Draft | null): void {
    this.#revision = server.revision;
    this.#waiting = draft;
    this.#retries = 0;
    if (draft === null) {
      this.#copies.clear();
      this.#turn({ kind: "saved", at: server.saved_at, by: server.saved_by });
      return;
    }
    this.keepNow();
    this.#turn({ kind: "waiting" });
    void this.#send();
  }

  stop({ revision, ...draft }: Draft & { revision: number }, server: Pick<ServerDraft, "saved_at" | "saved_by">): void {
    // its copy stays one of the older draft, so that it is asked about again however often it is opened
    this.#revision = revision;
    this.#waiting = draft;
    this.keepNow();
    this.#turn({ kind: "changed", by: server.saved_by, at: server.saved_at });
  }

  close(): void {
    this.keepNow();
    this.#isClosed = true;
    this.#callOffSave();
    this.#callOffKeep();
  }

  /** Not while the author has to say something first. */
  #mayGoOn(): boolean {
    return !this.#isClosed && this.#state.kind !== "changed";
  }

  /** A copy a few times a second while somebody types, whatever else happens. */
  #keepSoon(): void {
    if (this.#keeps) return;
    this.#keeps = true;
    this.#callOffKeep = this.#timers.after(keepMs, () => this.keepNow());
  }

  #saveSoon(): void {
    // those are tried again by themselves, or by the author
    if (["away", "assistant", "signed-out"].includes(this.#state.kind)) return;
    this.#callOffSave();
    const waited = this.#timers.now() - this.#firstWaited;
    const ms = Math.max(0, Math.min(quietMs, longestMs - waited));
    this.#callOffSave = this.#timers.after(ms, () => void this.#send());
  }

  #send(): Promise<void> {
    this.#callOffSave();
    if (this.#sending) return this.#sending;
    const draft = this.#waiting;
    if (draft === null || this.#isClosed) return Promise.resolve();
    this.#unheard = [...this.#unheard.slice(-unheardAtMost), draft];
    this.keepNow();
    this.#waiting = null;
    this.#turn({ kind: "saving" });
    const sending = this.#put(draft).finally(() => {
      this.#sending = null;
      // what was typed while it was on its way
      if (this.#waiting !== null && (this.#state.kind === "saved" || this.#state.kind === "waiting")) {
        this.#turn({ kind: "waiting" });
        this.#firstWaited = this.#timers.now();
        this.#saveSoon();
      }
    });
    this.#sending = sending;
    return sending;
  }

  async #put(draft: Draft): Promise<void> {
    let answer: SavedAnswer;
    try {
      answer = await this.#server.put(draft, this.#revision);
    } catch (error) {
      await this.#refused(draft, error);
      return;
    }
    this.#revision = answer.revision;
    this.#unheard = [];
    this.#retries = 0;
    if (this.#waiting === null) {
      this.#callOffKeep();
      this.#keeps = false;
      this.#copies.clear();
    }
    this.#turn({ kind: "saved", at: answer.saved_at, by: answer.saved_by });
    for (const hear of this.#hearSaved) hear(answer);
  }

  async #refused(draft: Draft, error: unknown): Promise<void> {
    const refusal: Refusal =
      error instanceof NotSaved ? error.refusal : { kind: "refused", sentence: problemOf(error).sentence };
    const isOwn = refusal.kind === "changed" && (await this.#isOwnChange());
    this.#waiting ??= draft;
    if (isOwn) return this.#turn({ kind: "waiting" });
    if (refusal.kind === "away") this.#turn({ kind: "away", keptHere: this.#keptHere });
    else this.#turn(refusal);
    if (refusal.kind !== "away" && refusal.kind !== "assistant") return;
    const ms = Math.min(longestRetryMs, firstRetryMs * 2 ** this.#retries);
    this.#retries += 1;
    this.#callOffSave();
    this.#callOffSave = this.#timers.after(ms, () => void this.#send());
  }

  /** Whether what the server has is what was sent before and nobody said that it arrived: then it is gone on from that. */
  async #isOwnChange(): Promise<boolean> {
    // what was refused just now has not arrived
    const earlier = this.#unheard.slice(0, -1);
    if (earlier.length === 0) return false;
    const there = await this.#server.get().catch(() => null);
    if (there === null || !earlier.some((draft) => isSameDraft(draft, there))) return false;
    this.#revision = there.revision;
    this.#unheard = [];
    return true;
  }

  #turn(state: SaveState): void {
    this.#state = state;
    for (const hear of this.#hearState) hear();
  }
}
