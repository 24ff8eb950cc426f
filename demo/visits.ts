import type { ReportedSession } from "../contract/storefront.ts";
import { demoShop } from "./catalog.ts";
import type { Random } from "./random.ts";

/** The origin of a visit, as the storefront reports it with a session. */
export type Visit = Required<Pick<ReportedSession, "channel" | "placement" | "page_url" | "referrer" | "utm">>;

type Utm = NonNullable<Visit["utm"]>;

const paths = [
  "/",
  "/collections/bestsellers",
  "/collections/serums",
  "/products/ceramide-barrier-cream",
  "/pages/quiz",
  "/blogs/notes/spf-in-winter",
];
const url = (path: string, query: Record<string, string> = {}): string => {
  const search = new URLSearchParams(query).toString();
  return `${demoShop.site}${path}${search === "" ? "" : `?${search}`}`;
};
const noUtm: Utm = { source: null, medium: null, campaign: null, content: null, term: null };
const utmQuery = (utm: Utm): Record<string, string> =>
  Object.fromEntries(
    Object.entries(utm).flatMap(([name, value]) => (typeof value === "string" ? [[`utm_${name}`, value]] : [])),
  );

const seasons = [
  "winter_reset",
  "winter_reset",
  "spring_skin",
  "spring_skin",
  "spring_skin",
  "summer_shade",
  "summer_shade",
  "summer_shade",
  "autumn_repair",
  "autumn_repair",
  "holiday_gifts",
  "holiday_gifts",
];
const campaignOf = (at: number): string => {
  const date = new Date(at);
  return `${seasons[date.getUTCMonth()] ?? "always_on"}_${date.getUTCFullYear()}`;
};

function paidSearch(random: Random, at: number): Visit {
  const utm: Utm = {
    source: "google",
    medium: "cpc",
    campaign: campaignOf(at),
    content: random.pick(["headline_a", "headline_b"]),
    term: random.pick(["skincare quiz", "best serum for dry skin", "gift for mum", "sensitive skin routine"]),
  };
  return {
    channel: "online_store",
    placement: "home_hero",
    page_url: url("/", { ...utmQuery(utm), gclid: `Cj0KCQ${random.hex(16)}` }),
    referrer: "https://www.google.com/",
    utm,
  };
}

function onSite(random: Random): Visit {
  const path = random.weighted(paths, (candidate) => (candidate === "/" || candidate === "/pages/quiz" ? 4 : 1));
  return {
    channel: "online_store",
    placement: random.pick(["home_hero", "nav_link", "product_page", "exit_popup", null]),
    page_url: url(path, random.chance(0.2) ? { variant: String(random.int(40_000_000, 49_999_999)) } : {}),
    referrer: random.pick([
      "",
      "",
      "https://www.google.com/",
      "https://www.google.co.uk/",
      "https://duckduckgo.com/",
      "https://www.bing.com/",
      `${demoShop.site}/`,
      "https://skinnotes.example/best-quizzes",
      null,
    ]),
    utm: random.chance(0.5) ? null : noUtm,
  };
}

function fromEmail(random: Random, at: number): Visit {
  const utm: Utm = {
    source: "newsletter",
    medium: "email",
    campaign: campaignOf(at),
    content: random.pick(["hero_button", "footer_link", "ps_line"]),
    term: null,
  };
  return {
    channel: "email",
    placement: random.pick(["newsletter", "welcome_flow", "restock_flow"]),
    page_url: url("/pages/quiz", utmQuery(utm)),
    referrer: random.pick(["", "", "", "https://mail.google.com/", "https://outlook.live.com/"]),
    utm,
  };
}

const networks = [
  { source: "instagram", referrer: "https://l.instagram.com/", share: 5, click: "fbclid" },
  { source: "tiktok", referrer: "https://www.tiktok.com/", share: 3, click: "ttclid" },
  { source: "facebook", referrer: "https://l.facebook.com/", share: 2, click: "fbclid" },
  { source: "pinterest", referrer: "https://www.pinterest.com/", share: 2, click: "epik" },
] as const;

function fromSocial(random: Random, at: number): Visit {
  const network = random.weighted(networks, (candidate) => candidate.share);
  const paid = random.chance(0.55);
  const utm: Utm = {
    source: network.source,
    medium: paid ? "paid_social" : "social",
    campaign: paid ? campaignOf(at) : null,
    content: paid ? random.pick(["reel_texture", "carousel_before", "ugc_mia", "story_poll"]) : "bio",
    term: null,
  };
  return {
    channel: "social",
    placement: paid ? "ad_landing" : "bio_link",
    page_url: url("/pages/quiz", { ...utmQuery(utm), [network.click]: random.hex(24) }),
    referrer: network.referrer,
    utm,
  };
}

function fromQr(random: Random): Visit {
  const placement = random.pick(["parcel_card", "studio_poster", "market_stall"]);
  const utm: Utm = { source: "qr", medium: "offline", campaign: placement, content: null, term: null };
  return { channel: "qr", placement, page_url: url("/pages/quiz", utmQuery(utm)), referrer: null, utm };
}

/** A visit at `at` (Unix milliseconds); its campaigns are named after the month. */
export function pickVisit(random: Random, at: number): Visit {
  const share = random.next();
  if (share < 0.46) return onSite(random);
  if (share < 0.6) return paidSearch(random, at);
  if (share < 0.75) return fromEmail(random, at);
  return share < 0.94 ? fromSocial(random, at) : fromQr(random);
}
