import { type Parser, parse } from "bowser";
import type { ReportedSession } from "../../contract/storefront.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";

/** What is known about the shopper's device [sessions.device]: unknown parts are null, never a placeholder. */
export interface Device {
  class: "desktop" | "mobile" | "tablet" | "other";
  family: string | null;
  vendor: string | null;
  model: string | null;
  browser: string | null;
  browser_version: string | null;
  os: string | null;
  os_version: string | null;
}

type ClientHints = NonNullable<ReportedSession["client_hints"]>;

/**
 * In characters; longer ones are cut: no browser's name is that long, and fabricated ones take up to half a millisecond
 * to parse.
 */
const longestUserAgent = 512;

/** Parses user agents and caches the results, since a shop sees the same few hundred again and again. */
export class Devices {
  readonly #known = new LeastRecentlyUsed<Device>(2_000);

  /** Combines the user agent with the browser's client hints; where hints say more, they win. */
  read(userAgent: string | null, hints: ReportedSession["client_hints"]): Device {
    const text = (userAgent ?? "").slice(0, longestUserAgent).replaceAll("\u0000", "").toWellFormed();
    const key = hints ? `${text}\n${JSON.stringify(hints)}` : text;
    const known = this.#known.get(key);
    if (known) return known;
    const device = readDevice(text, hints ?? {});
    this.#known.set(key, device);
    return device;
  }
}

function readDevice(userAgent: string, hints: ClientHints): Device {
  const parsed = parse(userAgent === "" ? " " : userAgent);
  const isIpad = isDesktopIpad(userAgent, hints);
  const os = isIpad ? "iOS" : (known(hints.platform) ?? known(parsed.os.name));
  const vendor = known(parsed.platform.vendor);
  const hinted = known(hints.model);
  const model = hinted ?? known(parsed.platform.model) ?? known(androidModel.exec(userAgent)?.[1]);
  return {
    class: isIpad
      ? "tablet"
      : television.test(userAgent) || console.test(userAgent)
        ? "other"
        : classOf(parsed, hints, { os, hinted }),
    family: isIpad ? "iPad" : familyOf(os, model),
    vendor: vendor ?? vendorOf(os, model),
    model,
    browser: known(parsed.browser.name),
    browser_version: known(parsed.browser.version),
    os,
    os_version: osVersion(parsed, hints, { os, userAgent }),
  };
}

/** Televisions and sticks for them, by their own words, makers and models; their browsers say Android, Linux or nothing. */
const television =
  /\b(?:(?:smart|android|google|apple|hbb|net)[- ]?tv|tv safari|smarttv|bravia|crkey|netcast|web0s|webos\.tv|roku|viera|aquos|mi ?tv|mi ?box|philipstv|hisense|vidaa|chromecast|shield android tv|aft[a-z]{1,6}\d{0,3})\b|\btizen\b.{0,40}\btv\b/i;
const console = /\b(?:playstation|xbox|nintendo)\b/i;

/** Model names of the makers below, in user agents that are not reduced. */
const androidModel = /\bAndroid [^;()]{1,20}; (?:SAMSUNG )?((?:SM-|Pixel )[\w -]{1,20}?)(?: Build\/|[;)])/;

/**
 * Versions that browsers state whatever the system's is: reduced user agents of Android (User-Agent Reduction of
 * Chromium), macOS since 10.15, Chrome OS, and Windows 10, which stands for 11 as well [sessions.frozen-versions].
 */
const frozenVersions = /\bAndroid 10; K[;)]|\bMac OS X 10[._]15(?!\d)|\bCrOS \w+ 14541\.0\.0\b|\bWindows NT 10\.0\b/;

/** Safari 26 stopped at iOS 18.6 and 18.7, which older versions of Safari have as their real ones. */
function isFrozenIos(userAgent: string): boolean {
  const [, major = "0", minor = "0"] = /\bCPU (?:iPhone )?OS (\d+)_(\d+)/.exec(userAgent) ?? [];
  const safari = Number(/\bVersion\/(\d+)/.exec(userAgent)?.[1] ?? Number.NaN);
  return Number(major) === 18 && Number(minor) >= 6 && !(safari < 26);
}

/** iPads ask for desktop pages as Macs; no Mac has a touch screen. */
const isDesktopIpad = (userAgent: string, { touch_points }: ClientHints): boolean =>
  (touch_points ?? 0) > 1 && /\bMacintosh\b/.test(userAgent);

const chromeOs = new Set(["Chrome OS", "Chromium OS"]);

/** Texts that browsers send instead of something they do not disclose (`K` is the model in reduced user agents). */
const placeholders = new Set(["", "K", "Unknown", "unknown"]);

function known(text: string | null | undefined): string | null {
  const trimmed = (text ?? "").replaceAll("\u0000", "").toWellFormed().trim();
  return placeholders.has(trimmed) ? null : trimmed;
}

function classOf(
  parsed: Parser.ParsedResult,
  hints: ClientHints,
  { os, hinted: model }: { os: string | null; hinted: string | null },
): Device["class"] {
  const { type } = parsed.platform;
  // a Chromebook, even one that folds into a tablet
  if (os !== null && chromeOs.has(os)) return "desktop";
  if (type === "mobile" || type === "tablet") return type;
  if (hints.mobile === true) return "mobile";
  // a tablet's browser that requests desktop pages calls itself a desktop, but still sends its model
  if (type === "desktop") return model !== null && hints.platform === "Android" ? "tablet" : "desktop";
  return "other";
}

const families: readonly [RegExp, family: string, vendor: string][] = [
  [/^iPhone/, "iPhone", "Apple"],
  [/^iPad/, "iPad", "Apple"],
  [/^Pixel/, "Pixel", "Google"],
  [/^SM-/, "Galaxy", "Samsung"],
];

function familyOf(os: string | null, model: string | null): string | null {
  const family = families.find(([form]) => model !== null && form.test(model));
  return family?.[1] ?? (os === "macOS" ? "Mac" : null);
}

function vendorOf(os: string | null, model: string | null): string | null {
  const family = families.find(([form]) => model !== null && form.test(model));
  return family?.[2] ?? (os === "macOS" || os === "iOS" ? "Apple" : null);
}

/**
 * Reduced user agents contain frozen versions; the hints have the real one. Windows uses its own numbers in the hints.
 */
function osVersion(
  parsed: Parser.ParsedResult,
  hints: ClientHints,
  { os, userAgent }: { os: string | null; userAgent: string },
): string | null {
  const hinted = known(hints.platform_version);
  const major = Number(hinted?.split(".")[0]);
  if (os === "Windows" && hinted !== null && major >= 1) return major >= 13 ? "11" : "10";
  if (os !== "Windows" && hinted !== null) return hinted;
  if (frozenVersions.test(userAgent) || isFrozenIos(userAgent)) return null;
  return known(os === "Windows" ? parsed.os.versionName : parsed.os.version);
}
