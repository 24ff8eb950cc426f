import type { IncomingHttpHeaders } from "node:http";
import { Problem } from "../problems.ts";

const safeMethods = new Set(["GET", "HEAD"]);

/**
 * Throws 403 `cross_site_request` where another site's page may have sent a request that changes something
 * [dashboard-api.same-origin]: browsers say where a request comes from by `Sec-Fetch-Site`, older ones by `Origin` alone,
 * and no script can set either. What says neither comes from no browser that a person is signed in with.
 */
export function assertSameOrigin(method: string, headers: IncomingHttpHeaders, baseUrl: string): void {
  if (safeMethods.has(method)) return;
  const site = headers["sec-fetch-site"];
  const own = site === undefined ? headers.origin === new URL(baseUrl).origin : site === "same-origin";
  if (!own) throw new Problem("cross_site_request");
}
