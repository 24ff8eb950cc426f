import type { QuizDocument } from "../../../engine/document.ts";
import type { Finding } from "../../../engine/lint.ts";

/** What the server says of a draft. */
export interface ServerDraft {
  name: string;
  document: unknown;
  revision: number;
  saved_at: string;
  saved_by: string | null;
  /** the AI assistant's run, while nobody else may change the draft */
  assistant: { holder: string; expires_at: string } | null;
}

export interface SavedAnswer {
  revision: number;
  saved_at: string;
  saved_by: string | null;
  findings: readonly Finding[];
  /** as it was kept, where that is not what was sent */
  document: unknown;
}

/** Why a draft was not kept. */
export type Refusal =
  /** nobody answered, or only for now: it is tried again */
  | { kind: "away" }
  /** somebody else has changed it */
  | { kind: "changed"; by: string | null; at: string }
  | { kind: "assistant"; holder: string; until: string }
  | { kind: "signed-out" }
  | { kind: "refused"; sentence: string };

export class NotSaved extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.kind);
    this.refusal = refusal;
  }
}

export interface Draft {
  name: string;
  document: QuizDocument;
}

/** Keeps drafts on the server. Throws NotSaved. */
export interface DraftServer {
  put(draft: Draft, revision: number): Promise<SavedAnswer>;
  get(): Promise<ServerDraft>;
}

/** A draft that was not saved yet, as a browser keeps it. */
export interface LocalCopy extends Draft {
  /** of the draft that was changed */
  revision: number;
  /** what was on its way to the server, and may have arrived there; null: nothing */
  sent: Draft | null;
  /** ms */
  at: number;
}

/** Where a browser keeps what was not saved. Never throws. */
export interface LocalCopies {
  /** false: there is no room, or it may not */
  write(copy: LocalCopy): boolean;
  clear(): void;
}

export interface Timers {
  now(): number;
  /** @returns how to call it off */
  after(ms: number, run: () => void): () => void;
}

export type SaveState =
  | { kind: "saved"; at: string; by: string | null }
  /** changes wait to be sent */
  | { kind: "waiting" }
  | { kind: "saving" }
  | { kind: "away"; keptHere: boolean }
  | { kind: "changed"; by: string | null; at: string }
  | { kind: "assistant"; holder: string; until: string }
  | { kind: "signed-out" }
  | { kind: "refused"; sentence: string };
