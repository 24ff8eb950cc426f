import type { IncomingMessage } from "node:http";
import { root } from "../../../../demo/storefront/layout.ts";
import type { RefusalPage } from "../../../platform/http/app.ts";
import type { Problem } from "../../../platform/problems.ts";
import { sentenceHeaders, sentencePage } from "../../../web/public.ts";
import type { DemoSource } from "./front.ts";

/** The page for a person who opens an unknown address below the demo shop's [demo.storefront]. */
export function demoRefusalPage(
  { title }: Problem,
  { method, url = "", headers }: IncomingMessage,
  demo: DemoSource | null,
): RefusalPage | null {
  const isPage = method === "GET" || method === "HEAD";
  const isHere = demo?.front && url.startsWith(`${root}/`) && headers.accept?.includes("text/html");
  if (title !== "not_found" || !isPage || !isHere) return null;
  const why = `The demo shop has no page at this address. It begins at ${root}.`;
  const page = sentencePage({ lang: "en", dir: "ltr", title: "There is no such page in the demo shop", why });
  return { html: page.text, headers: sentenceHeaders(page) };
}
