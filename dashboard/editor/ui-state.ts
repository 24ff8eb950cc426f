import type { AnswerValue } from "../../engine/document.ts";
import type { Days } from "../analytics/days.ts";
import { type Location, nothingSelected, type Pane, type Selection, type Tab } from "./locate.ts";

/** What of the editor is shown: the tab, what is selected, and the answers that the preview was given. */

export interface UiState {
  tab: Tab;
  selection: Selection;
  pane: Pane;
  device: "phone" | "desktop";
  /** of the preview; conditions and formulas show what they come to with them */
  answers: ReadonlyMap<string, AnswerValue>;
  /** the days whose figures the logic map shows, or those that the server chooses; null: it shows none */
  figures: Days | "recent" | null;
  /** a field that is to have the focus; `at` tells one wish from the next */
  wanted: { field: string; at: number } | null;
}

export class UiStore {
  #state: UiState = {
    tab: "build",
    selection: nothingSelected,
    pane: "outline",
    device: "phone",
    answers: new Map(),
    figures: null,
    wanted: null,
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

  /** To a field, wherever it is edited; it has the focus once it is there. */
  goTo({ tab, selection, field, pane = "properties" }: Location): void {
    const wanted = { field, at: (this.#state.wanted?.at ?? 0) + 1 };
    this.set({ tab, selection: selection ?? this.#state.selection, pane, wanted });
  }
}
