import { isColour } from "../../engine/contrast.ts";
import type { Presentation, Theme } from "../../engine/document.ts";
import { drawnColours, schemesOf } from "../../engine/theme.ts";
import { escapeHtml } from "../platform/http/escape-html.ts";
import { type Html, hashOf, htmlDocument, meta, type Shell } from "../web/public.ts";
import { readLocale, textsFor } from "./page-texts.ts";

/** The pages on which this server shows quizzes: strings of HTML with their Content-Security-Policy. Pure. */

export interface PageFacts {
  /** the quiz's name */
  name: string;
  shop: string;
  presentation: Presentation | null;
}

export interface PlayerParts {
  /** path of the main chunk; null if it is not known yet */
  main: string | null;
  /** this answer's nonce, for its scripts alone */
  nonce: string;
}

const pictureUrl = /^https:\/\//i;

/**
 * No third party: scripts by nonce and what they load, requests to this server alone, pictures from wherever the shop
 * keeps them [player.page-rules].
 */
const quizRules = (nonce: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    "connect-src 'self'",
    "img-src 'self' https: data:",
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const schemes: Readonly<Record<string, string>> = { light: "light", dark: "dark", auto: "light dark" };

/** The player's own colours, so that the page has them from the first moment, and below a short quiz too. */
function groundOf(theme: Theme): string {
  const [first = "", second] = schemesOf(theme).map((scheme) => {
    const { background, text } = drawnColours(theme, scheme);
    return [background, text].every(isColour) ? `html{background:${background};color:${text}}` : "";
  });
  return second === undefined ? first : `${first}@media(prefers-color-scheme:dark){${second}}`;
}

/** The quiz fills the page. Until it is drawn, its placeholder is centred, like the player's own messages. */
const quizStyle = (theme: Theme): string =>
  `html{color-scheme:${schemes[theme.scheme ?? "light"] ?? "light"}}${groundOf(theme)}body{margin:0;font:16px/1.5 system-ui,sans-serif}quiz-store{display:block;min-height:100vh;min-height:100dvh;line-height:5.5;text-align:center}noscript p,.late{max-width:34rem;margin:20vh auto 0;padding:0 1rem;line-height:1.5}.late{visibility:hidden}@media (scripting:enabled){.late{animation:late 0s 15s forwards}}@keyframes late{to{visibility:visible}}`;

const themeColour = ({ accent, background }: NonNullable<Presentation["theme"]>): string | null =>
  [background, accent].find((colour) => colour && isColour(colour)) ?? null;

/** `og:locale` is written with an underscore, and is only valid with a region. */
const facebookLocale = (tag: string): string | null => {
  const { language, region } = new Intl.Locale(tag);
  return region === undefined ? null : `${language}_${region}`;
};

function previewTags(facts: PageFacts, url: string, locale: string): string[] {
  const { name, shop, presentation } = facts;
  const description = presentation?.description || shop;
  const picture = presentation?.cover_image_url;
  const pictured = picture && pictureUrl.test(picture) ? picture : null;
  const region = facebookLocale(locale);
  return [
    meta("name", "description", description),
    `<link rel="canonical" href="${escapeHtml(url)}">`,
    meta("property", "og:type", "website"),
    meta("property", "og:title", name),
    meta("property", "og:description", description),
    meta("property", "og:url", url),
    meta("property", "og:site_name", shop),
    ...(region ? [meta("property", "og:locale", region)] : []),
    ...(pictured ? [meta("property", "og:image", pictured), meta("property", "og:image:alt", name)] : []),
    meta("name", "twitter:card", pictured ? "summary_large_image" : "summary"),
    meta("name", "twitter:title", name),
    meta("name", "twitter:description", description),
    ...(pictured ? [meta("name", "twitter:image", pictured)] : []),
  ];
}

function speaking({ locale, dir }: Presentation): Pick<Shell, "lang" | "dir"> {
  const read = readLocale(locale) ?? { tag: "en", dir: "ltr" as const };
  return { lang: read.tag, dir: dir === "ltr" || dir === "rtl" ? dir : read.dir };
}

interface QuizShell {
  presentation: Presentation | null;
  title: string;
  tags: readonly string[];
  /** attributes of the element, by name */
  attributes: Readonly<Record<string, string>>;
}

function quizShell({ presentation, title, tags, attributes }: QuizShell, { main, nonce }: PlayerParts): Html {
  const theme = presentation?.theme ?? {};
  const { lang, dir } = speaking(presentation ?? {});
  const style = quizStyle(theme);
  const ground = themeColour(theme);
  const head = [
    ...tags,
    meta("name", "color-scheme", schemes[theme.scheme ?? "light"] ?? "light"),
    ...(ground ? [meta("name", "theme-color", ground)] : []),
    ...(main ? [`<link rel="modulepreload" href="/${escapeHtml(main)}" nonce="${nonce}">`] : []),
    // browsers would otherwise request one that does not exist
    '<link rel="icon" href="data:,">',
    `<script async src="/embed.js" nonce="${nonce}"></script>`,
  ];
  const attributeTexts = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`);
  const { unavailable, unavailableWhy, needsScript } = textsFor(lang);
  // inside the element, which hides it: visible only if the script does not load
  const late = `<p class="late">${escapeHtml(unavailable)}. ${escapeHtml(unavailableWhy)}</p>`;
  const body = `<quiz-store${attributeTexts.join("")}>${late}</quiz-store>
<noscript><p>${escapeHtml(needsScript)}</p></noscript>`;
  const text = htmlDocument({ lang, dir, title, head: `${head.join("\n")}\n`, style, body });
  return { text, rules: quizRules(nonce, style) };
}

/** A live quiz on its own page, usable without the shop [player.hosted-page]. */
export function hostedPage(
  facts: PageFacts,
  address: { url: string; publishableKey: string; quizId: string },
  parts: PlayerParts,
): Html {
  const { lang } = speaking(facts.presentation ?? {});
  const attributes = { quiz: address.quizId, store: address.publishableKey, mode: "full" };
  const tags = previewTags(facts, address.url, lang);
  return quizShell({ presentation: facts.presentation, title: facts.name, tags, attributes }, parts);
}

/** The page of a preview link: hidden from search engines, and its address is not passed on [player.preview-page]. */
export function previewPage(facts: PageFacts, token: string, parts: PlayerParts): Html {
  const { lang } = speaking(facts.presentation ?? {});
  const title = `${textsFor(lang).preview}: ${facts.name}`;
  const tags = [meta("name", "robots", "noindex, nofollow")];
  return quizShell(
    { presentation: facts.presentation, title, tags, attributes: { preview: token, mode: "full" } },
    parts,
  );
}
