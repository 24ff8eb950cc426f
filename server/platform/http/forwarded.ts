import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

/** Whose request a proxy passes on [api.forwarded-addresses]: the addresses of `X-Forwarded-For`, the nearest last. */

const header = "x-forwarded-for";

/** An address as proxies write it, some with the port beside it; null: none. */
function addressIn(entry: string): string | null {
  const text = entry.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const [address = ""] = bare.split("%", 1);
  return isIP(address) === 0 ? null : address;
}

/**
 * Leaves of the header what the proxies in front have written: as many entries from its end as there are proxies, up to
 * the first that is no address. Whatever stands before those may be anybody's invention.
 */
export function keepForwarded(headers: IncomingHttpHeaders, proxies: number): void {
  const given = headers[header];
  if (given === undefined || proxies === 0) return;
  const entries = String(given).split(",").slice(-proxies).map(addressIn);
  const known = entries.slice(entries.lastIndexOf(null) + 1);
  if (known.length === 0) delete headers[header];
  else headers[header] = known.join(", ");
}

/** An IPv4 address that came in over an IPv6 socket is what it is; empty where the client had hung up before it was read. */
export const plainAddress = (address: string | undefined): string => (address ?? "").replace(/^::ffff:(?=\d+\.)/, "");
