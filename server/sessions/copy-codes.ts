import type { Exit, MoveCause } from "./state.ts";

/**
 * The parts of a session's fact text, each absent when empty; keys as numbers of their version (engine/numbering.ts):
 *
 *   i  last page, winner (of completed sessions), exit page, exit reason, and in ms when it left an email, a phone and a
 *      contact that its checkbox denies; any of them null
 *   v  visits: page, entries, entries by jump, first by jump, time in ms or null, skipped, went back
 *   m  moves by edge: from page, to page, cause, rule or null, moves
 *   h  hidden pages: page, times
 *   a  options: question, option, when; and answers without content here (email, phone): question, null, when
 *   n  numbers: question, value, when
 *   d  dates: question, days since 1970, when
 *   p  points of completed sessions: dimension, total
 *   f  formulas with a value, of completed sessions: formula, value
 *   s  shown products: block, place in g, ms after the opening
 *   g  ids of the products in s
 *
 * `when` is in ms after the opening. Yes and no are 1 and 0; causes and reasons are places in the lists below, which
 * only ever grow at their end.
 */
export const moveCauses: readonly MoveCause[] = ["next", "jump", "skip", "back", "restart"];
export const exitReasons: readonly Exit["reason"][] = ["finished", "closed", "restarted", "timed_out", "still_here"];
