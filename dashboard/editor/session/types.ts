import type { QuizDocument } from "../../../engine/document.ts";
import type { Finding } from "../../../engine/lint.ts";

/** A draft as the server describes it. */
export interface ServerDraft {
  name: string;
  document: unknown;
  revision: number;
  saved_at: string;
  saved_by: string | null;
  /** the AI assistant's run, during which nobody else may change the draft */
  assistant: { holder: string; expires_at: string } | null;
}

export interface SavedAnswer {
  revision: number;
  saved_at: string;
  saved_by: string | null;
  findings: readonly Finding[];
  /** the stored document, if it differs from what was sent */
  document: unknown;
}

/** Why a draft was not saved. */
export type Refusal =
  /** no response, or a temporary failure: it is retried */
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

/** Saves drafts on the server. Throws NotSaved. */
export interface DraftServer {
  put(draft: Draft, revision: number): Promise<SavedAnswer>;
  get(): Promise<ServerDraft>;
}

/** An unsaved draft in the browser's storage. */
export interface LocalCopy extends Draft {
  /** the revision that the changes are based on */
  revision: number;
  /** the draft that was being sent and may have arrived; null: none */
  sent: Draft | null;
  /** ms */
  at: number;
}

/** The browser's storage for unsaved drafts. Never throws. */
export interface LocalCopies {
  /** false: storage is full or denied */
  write(copy: LocalCopy): boolean;
  clear(): void;
}

export interface Timers {
  now(): number;
  /** @returns a function that cancels it */
  after(ms: number, run: () => void): () => void;
}

export type SaveState =
  | { kind: "saved"; at: string; by: string | null }
  /** changes wait to be sent */
  | { kind: "waiting" }
  | { kind: "saving" }
  | { kind: "away"; isStoredHere: boolean }
  | { kind: "changed"; by: string | null; at: string }
  | { kind: "assistant"; holder: string; until: string }
  | { kind: "signed-out" }
  | { kind: "refused"; sentence: string };
