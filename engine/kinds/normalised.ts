import type { AnswerValue } from "../document.ts";

export type NormalisedAnswer =
  /** `value` null: the answer is cleared */
  { ok: true; value: AnswerValue | null } | { ok: false; reason: "unknown_option" | "invalid_value" };

export const cleared = { ok: true, value: null } as const;
export const invalid = { ok: false, reason: "invalid_value" } as const;
