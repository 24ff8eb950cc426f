import type { AnswerValue } from "../../engine/document.ts";
import type { SavedRun } from "./types.ts";

/** The state of a run; everything else is derived from it. */
export interface RunState {
  page_key: string | null;
  trail: string[];
  entered: Set<string>;
  /** replaced, not mutated, because views hold them */
  answers: ReadonlyMap<string, AnswerValue>;
  consents: ReadonlyMap<string, boolean | null>;
  skipped: Set<string>;
  shown: Map<string, string>;
  finishes: Set<string>;
  /** ids of products; replaced, not mutated */
  added: ReadonlySet<string>;
  finished: boolean;
  ended: boolean;
  /** nothing was reported since the quiz was closed */
  closed: boolean;
  progress: number;
}

export const runStateOf = (saved: SavedRun | null): RunState => ({
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
  added: new Set(saved?.added),
});

export const savedOf = (state: RunState): SavedRun => ({
  ...state,
  trail: [...state.trail],
  entered: [...state.entered],
  answers: [...state.answers],
  consents: [...state.consents],
  skipped: [...state.skipped],
  shown: [...state.shown],
  finishes: [...state.finishes],
  added: [...state.added],
});
