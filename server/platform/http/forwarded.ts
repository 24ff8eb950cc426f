import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

/**
 * The client's address behind proxies [api.forwarded-addresses]: the entries of `X-Forwarded-For`, the nearest last.
 */

const header = "x-forwarded-for";

/** An address as proxies write it, possibly with a port; null: none. */
function addressIn(entry: string): string | null {
  const text = entry.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const [address = ""] = bare.split("%", 1);
  return isIP(address) === 0 ? null : address;
}

/**
 * Keeps only what the proxies in front have written: as many entries from the end as there are proxies, up to the first
 * that is no address. Anybody could have forged the entries before those.
 */
export function keepForwarded(headers: IncomingHttpHeaders, proxies: number): void {
  const given = headers[header];
  if (given === undefined || proxies === 0) return;
  const entries = String(given).split(",").slice(-proxies).map(addressIn);
  const known = entries.slice(entries.lastIndexOf(null) + 1);
  if (known.length === 0) delete headers[header];
  else headers[header] = known.join(", ");
}

/** Unwraps an IPv4 address that came in over an IPv6 socket; empty if the client hung up before it was read. */
export const plainAddress = (address: string | undefined): string => (address ?? "").replace(/^::ffff:(?=\d+\.)/, "");
