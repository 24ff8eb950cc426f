import type { IncomingHttpHeaders } from "node:http";
import { Problem } from "../problems.ts";

const safeMethods = new Set(["GET", "HEAD"]);

/**
 * Throws 403 `cross_site_request` if another site's page may have sent a request that changes something
 * [dashboard-api.same-origin]: browsers declare the source in `Sec-Fetch-Site`, older ones only in `Origin`, and
 * scripts can set neither. A request without both does not come from a browser that a person is signed in with.
 */
export function assertSameOrigin(method: string, headers: IncomingHttpHeaders, baseUrl: string): void {
  if (safeMethods.has(method)) return;
  const site = headers["sec-fetch-site"];
  const own = site === undefined ? headers.origin === new URL(baseUrl).origin : site === "same-origin";
  if (!own) throw new Problem("cross_site_request");
}
