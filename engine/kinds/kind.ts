import type { ChoiceOption, Component } from "../document.ts";
import type { Fields } from "../read.ts";
import type { Kind } from "./value.ts";

/** The component of a kind. */
export type ComponentOf<Of extends Kind, Each extends Component = Component> = Each extends { kind: infer Its }
  ? Of extends Its
    ? Each
    : never
  : never;

/** What components of a kind have besides what all questions have. */
export type Settings<Each extends Component> = Each extends Component
  ? Omit<Each, "kind" | "component_key" | "question" | "required" | "help">
  : never;

/** What a kind of component is, for checks and the editor; how answers to it are read is a function of its own. */
export interface KindOf<Each extends Component> {
  /** reads and checks its settings */
  read(fields: Fields): Settings<Each>;
  /** the settings of a new one in the editor */
  fresh(make: Make): Settings<Each>;
}

/** Makes parts with keys of their own. */
export interface Make {
  option(): ChoiceOption;
  blockKey(): string;
}
