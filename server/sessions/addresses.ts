/** What is kept of the addresses that a browser reports: never a query string, a fragment or credentials. */

function parse(address: string | null | undefined): URL | null {
  return address ? URL.parse(address.trim()) : null;
}

/**
 * Origin and path of the page that showed the quiz [sessions.page-address]; null when none was reported or it is no web
 * address.
 */
export function cleanPageUrl(url: string | null | undefined): string | null {
  const parsed = parse(url);
  if (parsed === null || (parsed.protocol !== "https:" && parsed.protocol !== "http:")) return null;
  return parsed.origin + parsed.pathname;
}

/**
 * Host of the page that linked to the shop, lowercase and without port, or null for a direct visit
 * [sessions.page-address]. `www.` stays and the shop's own host is kept: the report says what browsers said. Apps
 * report other schemes (`android-app://com.example`), and they count as hosts as well.
 */
export function referrerHost(referrer: string | null | undefined): string | null {
  const host = parse(referrer)?.hostname.toLowerCase() ?? "";
  return host === "" ? null : host;
}
