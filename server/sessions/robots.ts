import { isbot } from "isbot";

/** In characters: what lies beyond says nothing that the beginning does not. */
const longest = 512;

/** What robots without a browser's name call themselves; programs that send events for shoppers have other names. */
const crawler = /bot\b|crawl|spider|externalhit|preview|whatsapp|mediapartners|lighthouse|\+https?:/i;

/**
 * Whether a user agent is a robot's: one that fetches pages for search, ads, link previews or audits, or a headless
 * browser that says so [sessions.robots]. The list is isbot's. HTTP libraries are on it too, but they run no page:
 * whoever sends events with one, such as a shop's own server, reports its shoppers.
 *
 * @param userAgent null: none was sent
 */
export function isRobot(userAgent: string | null): boolean {
  const text = (userAgent ?? "").slice(0, longest);
  return isbot(text) && (/^(?:Mozilla|Opera)\//.test(text) || crawler.test(text));
}
