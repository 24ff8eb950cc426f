import { canonical } from "../../../engine/difference-fields.ts";
import { problemOf } from "../../app/problems.ts";
import { readEditable } from "../document/editable.ts";
import type { Draft, DraftServer, LocalCopies, Refusal, SavedAnswer, SaveState, ServerDraft, Timers } from "./types.ts";
import { NotSaved } from "./types.ts";

/**
 * Saves an author's changes [editor.autosave]: in the browser at once, on the server a moment later, one request at a
 * time. What the server refuses stays in the browser. Nobody else's work is overwritten: once somebody else has changed
 * the draft, nothing is sent until the author decides.
 */
export interface Autosave {
  readonly state: SaveState;
  /** whether something is not on the server yet */
  readonly isDirty: boolean;
  /** whether something changed since the last request */
  readonly isWaiting: boolean;
  readonly revision: number;
  /** records a change */
  changed(draft: Draft): void;
  /** stores unsaved changes in the browser at once, because the page is closing */
  keepNow(): void;
  /** sends pending changes now; resolves when none are left, or they cannot be sent */
  flush(): Promise<void>;
  /** retries after a failure, for instance when the network is back [editor.offline] */
  retry(): void;
  /** continues from a draft of the server: `draft` is sent on top of it; null drops local changes */
  rebase(server: Pick<ServerDraft, "revision" | "saved_at" | "saved_by">, draft: Draft | null): void;
  /** stops saving, because the local draft is based on an older one than the server's: the author has to decide */
  stop(copy: Draft & { revision: number }, server: Pick<ServerDraft, "saved_at" | "saved_by">): void;
  onState(hear: () => void): () => void;
  onSaved(hear: (answer: SavedAnswer) => void): () => void;
  close(): void;
}

export interface AutosaveDeps {
  server: DraftServer;
  copies: LocalCopies;
  timers: Timers;
  opened: Pick<ServerDraft, "revision" | "saved_at" | "saved_by">;
}

/** Ms after the last key press; and the longest time in ms after the first unsent change. */
export const quietMs = 500;
export const longestMs = 1_000;
/** Ms from a change to its copy in the browser. */
export const keepMs = 200;
/**
 * How many drafts that may have arrived are remembered; successive ones differ by what was typed between two attempts.
 */
const unheardAtMost = 50;
const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

/** Whether the server's draft equals this one, apart from fields that the server added. */
export const isSameDraft = ({ name, document }: Draft, there: Pick<ServerDraft, "name" | "document">): boolean =>
  name === there.name && canonical(document) === canonical(readEditable(there.document).document);

export const openAutosave = (deps: AutosaveDeps): Autosave => new DraftAutosave(deps);

class DraftAutosave implements Autosave {
  readonly #server: DraftServer;
  readonly #copies: LocalCopies;
  readonly #timers: Timers;
  #state: SaveState;
  #revision: number;
  /** changes that were not sent yet; null: none */
  #waiting: Draft | null = null;
  /** the request under way */
  #sending: Promise<void> | null = null;
  /** sent drafts without a response, which may have arrived; the newest last */
  #unheard: readonly Draft[] = [];
  #firstWaited = 0;
  #retries = 0;
  #isStoredHere = true;
  /** a browser copy is scheduled */
  #keeps = false;
  #isClosed = false;
  #callOffSave = () => {};
  #callOffKeep = () => {};
  readonly #hearState = new Set<() => void>();
  readonly #hearSaved = new Set<(answer: SavedAnswer) => void>();

  constructor({ server, copies, timers, opened }: AutosaveDeps) {
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
    // after a refusal, each key press restarts the delay, so that it is not sent at every key press
    if (this.#waiting === null || this.#state.kind === "refused") this.#firstWaited = this.#timers.now();
    this.#waiting = draft;
    this.#keepSoon();
    if (this.#mayGoOn()) this.#saveSoon();
    // this change may fix what was refused
    if (this.#state.kind === "saved" || this.#state.kind === "refused") this.#turn({ kind: "waiting" });
  }

  keepNow(): void {
    this.#callOffKeep();
    this.#keeps = false;
    const draft = this.#waiting;
    if (draft === null) return;
    const copy = { ...draft, revision: this.#revision, sent: this.#unheard.at(-1) ?? null, at: this.#timers.now() };
    this.#isStoredHere = this.#copies.write(copy);
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
    // keep the copy's older revision, so that the author is asked again whenever the draft is opened
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

  /** False while the author has to decide first. */
  #mayGoOn(): boolean {
    return !this.#isClosed && this.#state.kind !== "changed";
  }

  /** Copies to the browser a few times a second during typing, whatever the state of saving. */
  #keepSoon(): void {
    if (this.#keeps) return;
    this.#keeps = true;
    this.#callOffKeep = this.#timers.after(keepMs, () => this.keepNow());
  }

  #saveSoon(): void {
    // these states are retried by a timer or by the author
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
      // changes typed during the request
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
    if (refusal.kind === "away") this.#turn({ kind: "away", isStoredHere: this.#isStoredHere });
    else this.#turn(refusal);
    if (refusal.kind !== "away" && refusal.kind !== "assistant") return;
    const ms = Math.min(longestRetryMs, firstRetryMs * 2 ** this.#retries);
    this.#retries += 1;
    this.#callOffSave();
    this.#callOffSave = this.#timers.after(ms, () => void this.#send());
  }

  /** Whether the server's draft is one of ours whose response was lost: if so, continues from it. */
  async #isOwnChange(): Promise<boolean> {
    // the one just refused has not arrived
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
