import type { IncomingMessage } from "node:http";
import type { RefusalPage } from "../platform/http/app.ts";
import type { Problem } from "../platform/problems.ts";
import { type SentencePage, sentenceHeaders, sentencePage } from "../web/public.ts";
import { preferredLanguage, readLocale, textsFor } from "./page-texts.ts";

/** A quiz's or preview's page that says in a sentence why it cannot be shown [player.refusal-pages]. */

const ofPeople = /^\/(q|preview)\//;

export function refusalPage(problem: Problem, { method, url = "", headers }: IncomingMessage): RefusalPage | null {
  const kind = ofPeople.exec(url)?.[1];
  if (kind === undefined || (method !== "GET" && method !== "HEAD")) return null;
  const lang = preferredLanguage(headers["accept-language"]);
  const page = sentencePage({ lang, dir: readLocale(lang)?.dir ?? "ltr", ...sentenceOf(problem, kind, lang) });
  return { html: page.text, headers: sentenceHeaders(page) };
}

function sentenceOf(problem: Problem, kind: string, lang: string): Omit<SentencePage, "lang" | "dir"> {
  const texts = textsFor(lang);
  if (problem.title === "not_found") return { title: texts.missing, why: texts.missingWhy };
  if (problem.title === "rate_limited")
    return { title: texts.building, why: texts.busyWhy, again: problem.extra.retry_after ?? 1 };
  if (problem.title === "validation_error" && kind === "preview") {
    const [first = problem.message, ...more] = (problem.extra.errors ?? []).map(
      ({ field, message }) => `${field} ${message}`,
    );
    return { title: texts.unfinished, why: first, findings: more };
  }
  return { title: texts.unavailable, why: texts.unavailableWhy };
}
