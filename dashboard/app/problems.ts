import { ConnectionError, ProblemError } from "../../client/src/index.ts";
import { PartMissing, type WhyMissing } from "./release.ts";

/** Describes an error in one sentence, with the request's id to quote [dashboard.problems]. Pure. */

export interface ShownProblem {
  sentence: string;
  requestId: string | null;
  status: number | null;
  /** the problem's code, which programs branch on; null if there was no response */
  title: string | null;
  /** what was refused, by field */
  errors: readonly { field: string; message: string }[];
  /** whether the same request may succeed in a moment */
  passing: boolean;
  /** only reloading the page may help */
  stale?: true;
}

const sentences: Readonly<Record<string, string>> = {
  not_found: "This is not here, or not in this store.",
  insufficient_role: "Your role in this store does not allow this.",
  insufficient_scope: "Your role in this store does not allow this.",
  plan_required: "The store's plan does not include this.",
  password_required: "Please confirm that it is you.",
  not_signed_in: "You are not signed in.",
  rate_limited: "That was too much at once. Please try again in a moment.",
  timeout: "The server took too long to answer.",
  dependency_unavailable: "The server cannot reach its database at the moment.",
  internal_error: "Something went wrong on the server.",
};

const missing: Readonly<Record<WhyMissing, string>> = {
  away: "The server cannot be reached.",
  older: "The dashboard has a new version. Load this page again to go on.",
  lost: "This part of the dashboard could not be fetched.",
};

const passingTitles = ["rate_limited", "timeout", "dependency_unavailable", "internal_error", "overloaded"];

export function problemOf(error: unknown): ShownProblem {
  if (error instanceof ProblemError) {
    const { status, title, detail, requestId, errors } = error;
    const sentence = sentences[title] ?? sentenceOf(errors.length === 1 ? fieldSentence(errors[0]) : detail);
    return { sentence, requestId, status, title, errors, passing: passingTitles.includes(title) || status >= 500 };
  }
  const none = { requestId: null, status: null, title: null, errors: [] };
  if (error instanceof ConnectionError) {
    const sentence = error.timedOut ? "The server did not answer in time." : "The server cannot be reached.";
    return { ...none, sentence, passing: true };
  }
  // browsers remember a failed module import for as long as the page lives
  if (error instanceof PartMissing) return { ...none, sentence: missing[error.why], passing: false, stale: true };
  return { ...none, sentence: "Something went wrong on this page.", passing: false };
}

/** `body.shop_domain` is the form's field `shop_domain`; "" is the form as a whole. */
export const nameOfField = (field: string): string => field.replace(/^(body|query|path)(\.|$)/, "");

const fieldSentence = (error: { field: string; message: string } | undefined): string =>
  error === undefined ? "" : `${nameOfField(error.field).replaceAll("_", " ")} ${error.message}`;

/** Capitalises the first letter and adds a full stop. */
export function sentenceOf(text: string): string {
  const trimmed = text.trim();
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
