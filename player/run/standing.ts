import type { AnswerValue } from "../../engine/document.ts";
import type { SavedRun } from "./types.ts";

/** What a run keeps in mind; the rest follows from it. */
export interface Standing {
  page_key: string | null;
  trail: string[];
  entered: Set<string>;
  /** replaced when they change, since views hold them */
  answers: ReadonlyMap<string, AnswerValue>;
  consents: ReadonlyMap<string, boolean | null>;
  skipped: Set<string>;
  shown: Map<string, string>;
  finishes: Set<string>;
  finished: boolean;
  ended: boolean;
  /** nothing was told since the quiz was closed */
  closed: boolean;
  progress: number;
}

export const standingOf = (saved: SavedRun | null): Standing => ({
  page_key: null,
  finished: false,
  ended: false,
  closed: false,
  progress: 0,
  ...saved,
  trail: [...(saved?.trail ?? [])],
  entered: new Set(saved?.entered),
  answers: new Map(saved?.answers),
  consents: new Map(saved?.consents),
  skipped: new Set(saved?.skipped),
  shown: new Map(saved?.shown),
  finishes: new Set(saved?.finishes),
});

export const savedOf = (standing: Standing): SavedRun => ({
  ...standing,
  trail: [...standing.trail],
  entered: [...standing.entered],
  answers: [...standing.answers],
  consents: [...standing.consents],
  skipped: [...standing.skipped],
  shown: [...standing.shown],
  finishes: [...standing.finishes],
});
