import { formulasOf } from "./compile-quiz.ts";
import type { QuizDocument } from "./document.ts";
import type { Expression } from "./evaluate.ts";
import { type Looks, looksOf } from "./looks.ts";
import { type Need, needsOf } from "./needs.ts";

/** What a player takes from the server, so that no browser downloads the code for it. */
export interface PlayerFacts {
  looks: Looks;
  /** parsed, by their source text */
  formulas: Readonly<Record<string, Expression>>;
  needs: Need[];
}

export const playerFacts = (document: QuizDocument): PlayerFacts => ({
  looks: looksOf(document.presentation?.theme ?? {}),
  formulas: formulasOf(document),
  needs: needsOf(document),
});
