import type { Finding } from "../../../engine/lint.ts";

/** Codes whose messages are full sentences; the other messages continue the name of the thing. */
const clauses: ReadonlySet<Finding["code"]> = new Set([
  "no_pages",
  "never_visible",
  "unreachable_page",
  "ends_without_result",
  "choice_without_options",
  "option_without_text",
  "slider_without_bounds",
  "no_day_allowed",
  "dimension_cannot_win",
  "points_unread",
  "results_gap",
  "result_without_page",
  "ambiguous_name",
  "low_contrast",
  "image_without_text",
]);

/** A finding as a full sentence next to its field. Pure. */
export const saidOf = ({ code, message }: Finding, thing = "This"): string =>
  clauses.has(code) ? message.charAt(0).toUpperCase() + message.slice(1) : `${thing} ${message}`;
