import type { IncomingMessage } from "node:http";
import type { RefusalPage } from "../platform/http/app.ts";
import type { Problem } from "../platform/problems.ts";
import { sentenceHeaders, sentencePage } from "./html.ts";

/** Pages that anybody may read, without the operations below `/dashboard/api`. */
const openPages = /^\/(dashboard(?!\/api\/)|demo|docs|reference|errors)([/?]|$)/;

/**
 * The page for a person whose address has requested too many open pages; null for programs and for other refusals
 * [reference.sender-limits].
 */
export function busyPage(
  { title, extra }: Problem,
  { method, url = "", headers }: IncomingMessage,
): RefusalPage | null {
  const isPerson = headers.accept?.includes("text/html") && (method === "GET" || method === "HEAD");
  if (title !== "rate_limited" || !isPerson || !openPages.test(url)) return null;
  const again = extra.retry_after ?? 1;
  const why = "Too many requests came from your network. This page loads itself again.";
  const page = sentencePage({ lang: "en", dir: "ltr", title: "One moment", why, again });
  return { html: page.text, headers: sentenceHeaders(page) };
}
