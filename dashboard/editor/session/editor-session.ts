import { canonical } from "../../../engine/difference-fields.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import { type KeyKind, keyKinds } from "../../../engine/key-kinds.ts";
import { type Finding, lint } from "../../../engine/lint.ts";
import { readEditable } from "../document/editable.ts";
import { type Edit, type History, newHistory, pause, perform, redo, undo } from "../document/history.ts";
import { type Keys, keysFor } from "../document/keys.ts";
import { type Autosave, isSameDraft, openAutosave } from "./autosave.ts";
import type { Draft, DraftServer, LocalCopies, LocalCopy, Refusal, SaveState, ServerDraft, Timers } from "./types.ts";

/** One author working on one draft: its state, history and saving. Independent of the user interface. */

export interface EditorState {
  history: History<QuizDocument>;
  name: string;
  save: SaveState;
  findings: readonly Finding[];
  /** parts of the draft that this editor cannot show; the next change drops them */
  leftOut: readonly string[];
  /** whether a copy in this browser was restored on opening */
  restored: boolean;
}

export interface Opened {
  draft: ServerDraft;
  earlier: readonly KeyKind[];
  /** the unsaved draft from the last time the editor was open here */
  copy: LocalCopy | null;
}

export interface SessionDeps {
  server: DraftServer;
  copies: LocalCopies;
  timers: Timers;
  random: () => number;
}

/** Delay in ms after the last change; linting a hundred pages takes some tens of milliseconds. */
const lintMs = 250;
/** Edits less than this many ms apart are undone together. */
const pauseMs = 1_500;
/** Ms between checks whether the assistant is done. */
const lookMs = 5_000;

export class EditorSession {
  readonly #deps: SessionDeps;
  #earlier: readonly KeyKind[];
  readonly #autosave: Autosave;
  readonly #hear = new Set<() => void>();
  #state: EditorState;
  #callOffLint = () => {};
  #callOffPause = () => {};
  #callOffLook = () => {};
  #isClosed = false;
  /** findings that only the server can make, about the last saved draft */
  #fromServer: readonly Finding[] = [];

  constructor(deps: SessionDeps, { draft, earlier, copy }: Opened) {
    this.#deps = deps;
    this.#earlier = earlier;
    const { document, leftOut } = readEditable(draft.document);
    this.#autosave = openAutosave({ ...deps, opened: draft });
    const save = this.#autosave.state;
    this.#state = { history: newHistory(document), name: draft.name, save, findings: [], leftOut, restored: false };
    this.#autosave.onState(() => this.#turn({ save: this.#autosave.state }));
    this.#autosave.onSaved(({ findings, document: stored }) => {
      this.#fromServer = findings.filter(({ code }) => code === "html_removed");
      if (stored !== null) this.#takeStored(stored);
      this.#lintSoon();
    });
    if (copy) this.#restore(copy, draft);
    if (draft.assistant) this.#waitForAssistant(draft.assistant);
    this.#lint();
  }

  get state(): EditorState {
    return this.#state;
  }

  get document(): QuizDocument {
    return this.#state.history.document;
  }

  get revision(): number {
    return this.#autosave.revision;
  }

  get isDirty(): boolean {
    return this.#autosave.isDirty;
  }

  /** Nobody else may edit while the assistant does. */
  get isReadOnly(): boolean {
    return this.#state.save.kind === "assistant";
  }

  readonly subscribe = (hear: () => void): (() => void) => {
    this.#hear.add(hear);
    return () => void this.#hear.delete(hear);
  };

  /** Keys for new things, none of which this quiz has ever used. */
  keys(): Keys {
    return keysFor(
      this.document,
      this.#earlier.map(([, key]) => key),
      this.#deps.random,
    );
  }

  /**
   * A new key for a page whose kind changes; null if it can keep its key, because no version used it with another kind.
   */
  keyForKind(page_key: string, kind: string): string | null {
    const kinds = this.#earlier.filter(([sort, key]) => sort === "page" && key === page_key);
    const isFree = kinds.length === 0 || kinds.some((known) => known[2] === kind);
    return isFree ? null : this.keys().page();
  }

  /** The draft was published: its keys are never given to other things from now on. */
  published(): void {
    this.#earlier = keyKinds(this.document, this.#earlier);
  }

  edit(edit: Edit): void {
    if (this.isReadOnly) return;
    const history = perform(this.#state.history, edit);
    if (history === this.#state.history) return;
    this.#changed(history);
    this.#callOffPause();
    this.#callOffPause = this.#deps.timers.after(pauseMs, () => this.pause());
  }

  /** Later typing becomes an undo step of its own. */
  pause(): void {
    const history = pause(this.#state.history);
    if (history !== this.#state.history) this.#turn({ history });
  }

  undo(): void {
    if (!this.isReadOnly && this.#state.history.done.length > 0) this.#changed(undo(this.#state.history));
  }

  redo(): void {
    if (!this.isReadOnly && this.#state.history.undone.length > 0) this.#changed(redo(this.#state.history));
  }

  rename(name: string): void {
    if (this.isReadOnly || name === this.#state.name) return;
    this.#turn({ name });
    this.#autosave.changed(this.#draft());
  }

  /** Replaces the whole document, by an import or an earlier version. It can be undone like any edit. */
  replace(document: unknown, said: string, name = this.#state.name): readonly string[] {
    const editable = readEditable(document);
    this.#turn({ name });
    this.edit({ said, changes: [{ kind: "set", path: [], value: editable.document }] });
    return editable.leftOut;
  }

  flush(): Promise<void> {
    return this.#autosave.flush();
  }

  keepNow(): void {
    this.#autosave.keepNow();
  }

  retry(): void {
    this.#autosave.retry();
  }

  /**
   * Handles a refusal of something other than saving, such as publishing: conflicts and the assistant are treated
   * alike.
   */
  hear(refusal: Refusal): void {
    const draft = { ...this.#draft(), revision: this.revision };
    if (refusal.kind === "changed") this.#autosave.stop(draft, { saved_at: refusal.at, saved_by: refusal.by });
    if (refusal.kind === "assistant") this.#waitForAssistant({ holder: refusal.holder, expires_at: refusal.until });
  }

  /** Somebody ended the assistant's run: sends unsaved changes, or else shows what the assistant did. */
  async assistantEnded(): Promise<void> {
    if (this.#autosave.isDirty) this.#autosave.retry();
    else await this.#look();
  }

  /**
   * Shows the server's draft; the local one can be restored by undo.
   *
   * @param said the undo button's text
   */
  takeTheirs(theirs: ServerDraft, said = "take what somebody else did"): void {
    const { document } = readEditable(theirs.document);
    const isSame = canonical(document) === canonical(this.document);
    const changes = isSame ? [] : [{ kind: "set", path: [], value: document } as const];
    const history = pause(perform(this.#state.history, { said, changes }));
    this.#turn({ history, name: theirs.name });
    this.#autosave.rebase(theirs, null);
    this.#lintSoon();
  }

  /** The author returns to the tab: if nothing is unsaved, loads what others changed. Returns who changed it. */
  async lookAgain(): Promise<string | null> {
    const { revision } = this;
    const isAtRest = (): boolean => !this.#isClosed && this.#state.save.kind === "saved" && this.revision === revision;
    if (!isAtRest()) return null;
    const draft = await this.#deps.server.get().catch(() => null);
    if (draft === null || !isAtRest()) return null;
    if (draft.revision !== revision) this.takeTheirs(draft);
    if (draft.assistant) this.#waitForAssistant(draft.assistant);
    return draft.revision === revision ? null : (draft.saved_by ?? "Somebody else");
  }

  /** Overwrites somebody else's change; the author chose that after seeing the difference. */
  keepMine(theirs: ServerDraft): void {
    this.#autosave.rebase(theirs, this.#draft());
  }

  close(): void {
    this.#isClosed = true;
    this.#callOffLook();
    this.#callOffLint();
    this.#callOffPause();
    this.#autosave.close();
  }

  /** Polls until the run is over, then shows the assistant's draft. */
  #waitForAssistant({ holder, expires_at: until }: NonNullable<ServerDraft["assistant"]>): void {
    this.#turn({ save: { kind: "assistant", holder, until } });
    this.#lookSoon();
  }

  #lookSoon(): void {
    this.#callOffLook();
    this.#callOffLook = this.#deps.timers.after(lookMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#callOffLook();
    const draft = await this.#deps.server.get().catch(() => null);
    if (this.#isClosed || !this.isReadOnly) return;
    if (draft === null || draft.assistant) this.#lookSoon();
    else if (this.#autosave.isDirty) this.#turn({ save: this.#autosave.state });
    else this.takeTheirs(draft, "take what the assistant did");
  }

  #draft(): Draft {
    return { name: this.#state.name, document: this.document };
  }

  #changed(history: History<QuizDocument>): void {
    this.#turn({ history });
    this.#autosave.changed(this.#draft());
    this.#lintSoon();
  }

  /** Restores unsaved changes as one step; if somebody else changed the draft meanwhile, the author is asked first. */
  #restore(copy: LocalCopy, draft: ServerDraft): void {
    const { document, sent } = copy;
    // the server had saved it, but the tab closed before the response came
    if (isSameDraft(copy, draft)) {
      this.#deps.copies.clear();
      return;
    }
    const change = { kind: "set", path: [], value: document } as const;
    const history = pause(perform(this.#state.history, { said: "restore what was not saved", changes: [change] }));
    this.#turn({ history, name: copy.name, restored: true });
    const isOn = copy.revision === draft.revision || (sent !== null && isSameDraft(sent, draft));
    if (isOn) this.#autosave.changed(this.#draft());
    else this.#autosave.stop({ ...this.#draft(), revision: copy.revision }, draft);
  }

  /** The server removed HTML: updates the fields, unless they have changed since. */
  #takeStored(stored: unknown): void {
    if (this.#autosave.isWaiting) return;
    const { document } = readEditable(stored);
    const changes = changedTexts(this.document, document);
    if (changes.length === 0) return;
    this.#turn({ history: pause(perform(this.#state.history, { said: "take HTML out", changes })) });
  }

  #lintSoon(): void {
    this.#callOffLint();
    this.#callOffLint = this.#deps.timers.after(lintMs, () => this.#lint());
  }

  #lint(): void {
    this.#turn({ findings: [...lint(this.document, this.#earlier), ...this.#fromServer] });
  }

  #turn(changed: Partial<EditorState>): void {
    this.#state = { ...this.#state, ...changed };
    for (const hear of this.#hear) hear();
  }
}

/** The HTML texts that differ, as changes. */
function changedTexts(document: QuizDocument, stored: QuizDocument): Edit["changes"] {
  return document.pages.flatMap((page, index) =>
    page.components.flatMap((component, place) => {
      const other = stored.pages[index]?.components[place];
      if (component.kind !== "content" || other?.kind !== "content" || other.html_text === component.html_text)
        return [];
      const path = ["pages", index, "components", place, "html_text"];
      return [{ kind: "set", path, value: other.html_text } as const];
    }),
  );
}
