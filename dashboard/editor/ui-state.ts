import type { AnswerValue, QuizDocument } from "../../engine/document.ts";
import type { Days } from "../analytics/days.ts";
import type { Removed } from "./document/gone.ts";
import type { Edit } from "./document/history.ts";
import { type Location, nothingSelected, type Pane, type Selection, type Tab } from "./locate.ts";

/** The editor's view state: the tab, the selection, and the preview's answers. */

export interface UiState {
  tab: Tab;
  selection: Selection;
  pane: Pane;
  device: "phone" | "desktop";
  /** the preview's answers; conditions and formulas show their result for them */
  answers: ReadonlyMap<string, AnswerValue>;
  /** the days for the logic map's figures; "recent": the server chooses; null: no figures */
  figures: Days | "recent" | null;
  /** a field to focus; `at` tells repeated requests apart */
  focusRequest: { field: string; at: number } | null;
  /** what is about to be removed although other parts use it */
  removal: Removal | null;
}

export interface Removal {
  removed: Removed;
  /** of what is removed, for the question */
  name: string;
  /** removes it and keeps its uses */
  alone: (document: QuizDocument) => Edit;
  done: () => void;
}

export class UiStore {
  #state: UiState = {
    tab: "build",
    selection: nothingSelected,
    pane: "outline",
    device: "phone",
    answers: new Map(),
    figures: null,
    focusRequest: null,
    removal: null,
  };
  readonly #hear = new Set<() => void>();

  get state(): UiState {
    return this.#state;
  }

  readonly subscribe = (hear: () => void): (() => void) => {
    this.#hear.add(hear);
    return () => void this.#hear.delete(hear);
  };

  set(changed: Partial<UiState>): void {
    this.#state = { ...this.#state, ...changed };
    for (const hear of this.#hear) hear();
  }

  select(selection: Selection): void {
    this.set({ selection });
  }

  /** Shows a field where it is edited, and focuses it once it is rendered. */
  goTo({ tab, selection, field, pane = "properties" }: Location): void {
    const focusRequest = { field, at: (this.#state.focusRequest?.at ?? 0) + 1 };
    this.set({ tab, selection: selection ?? this.#state.selection, pane, focusRequest });
  }
}
