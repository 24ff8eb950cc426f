import type { Device, Devices } from "./device.ts";
import type { IncomingBatch } from "./incoming.ts";

/** Columns of a session that are set by the first event to arrive, and never change [sessions.attributes]. */
export interface SessionAttributes {
  id: string;
  visitor_id: string;
  quiz_id: string;
  version_id: string;
  channel: string;
  placement: string | null;
  page_url: string | null;
  referrer_host: string | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_content: string | null;
  utm_term: string | null;
  device_class: Device["class"];
  device: Device;
  country: string | null;
  region: string | null;
  /** a language tag, and an IANA name [sessions.locale] */
  locale: string | null;
  time_zone: string | null;
  /** in no figure, event or export: a preview's, or a robot's [sessions.previews, sessions.robots] */
  preview: boolean;
  emits: boolean;
}

export function sessionAttributes(batch: IncomingBatch, devices: Devices): SessionAttributes {
  const { session, origin } = batch;
  const device = devices.read(origin.userAgent, session.client_hints);
  const utm = session.utm ?? {};
  return {
    id: batch.sessionId,
    visitor_id: batch.visitorId,
    quiz_id: batch.quizId,
    version_id: batch.versionId,
    channel: session.channel,
    placement: stored(session.placement),
    page_url: stored(cleanPageUrl(session.page_url)),
    referrer_host: stored(referrerHost(session.referrer)),
    utm_source: stored(utm.source),
    utm_medium: stored(utm.medium),
    utm_campaign: stored(utm.campaign),
    utm_content: stored(utm.content),
    utm_term: stored(utm.term),
    device_class: device.class,
    device,
    country: origin.country,
    region: stored(origin.region),
    locale: session.locale ?? null,
    time_zone: session.time_zone ?? null,
    preview: session.preview === true || batch.isRobot,
    emits: batch.emits,
  };
}

/** A text without what PostgreSQL cannot store; empty text becomes null. */
function stored(text: string | null | undefined): string | null {
  const held = (text ?? "").replaceAll("\u0000", "").toWellFormed().trim();
  return held === "" ? null : held;
}

/** Parses a reported address; its query string, fragment and credentials are never stored. */
function parse(address: string | null | undefined): URL | null {
  return address ? URL.parse(address.trim()) : null;
}

/**
 * Origin and path of the page that showed the quiz [sessions.page-address]; null if none was reported or it is not a
 * web address.
 */
export function cleanPageUrl(url: string | null | undefined): string | null {
  const parsed = parse(url);
  if (parsed === null || (parsed.protocol !== "https:" && parsed.protocol !== "http:")) return null;
  return parsed.origin + parsed.pathname;
}

/**
 * Host of the page that linked to the shop, lowercase and without port, or null for a direct visit
 * [sessions.page-address]. `www.` and the shop's own host are kept as browsers report them. Apps report other schemes
 * (`android-app://com.example`), and they count as hosts as well.
 */
export function referrerHost(referrer: string | null | undefined): string | null {
  const host = parse(referrer)?.hostname.toLowerCase() ?? "";
  return host === "" ? null : host;
}
