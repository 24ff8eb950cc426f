import type { Need } from "../../engine/needs.ts";
import { sanitise } from "../sanitise/sanitise.ts";
import type { Brought } from "../view/stage.ts";

/**
 * The part of the script for each need of a document, a file of its own whose exports the screen and the run use
 * [player.needs]. One for what the main part itself has is `async () => ({})`, so that earlier players refuse it.
 */
const parts: Readonly<Record<Need, () => Promise<Brought>>> = {
  html: async () => {
    await sanitise("");
    return {};
  },
  outcomes: () => import("../../engine/outcomes.ts"),
  recall: () => import("./recalling.tsx"),
  rules: () => import("../rules/follow-rules.tsx"),
  questions: () => import("../questions/questions.tsx"),
  sliders: () => import("../view/slider.tsx"),
};

/** Null: one of the needs is unknown to this player [player.too-new]. */
export async function loadNeeds(needs: readonly string[] = []): Promise<Brought | null> {
  const all: unknown[] = await Promise.all(needs.map((need) => parts[need as keyof typeof parts]?.()));
  return all.includes(undefined) ? null : Object.assign({}, ...all);
}
