import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { isPublicAddress } from "./address.ts";

/** Which addresses (URLs) a webhook endpoint may have [webhooks.safe-addresses]. */

/** Every address of a host name; rejects when it has none, or nobody can tell. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface Destination {
  url: URL;
  /** the operator lists it: plain http and private addresses are fine */
  allowed: boolean;
}

const schemes: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" };

/** `host:port` of a URL as WEBHOOK_ALLOW_HOSTS writes it; the port is always there [webhooks.allowed-hosts]. */
export const hostAndPort = ({ hostname, port, protocol }: Pick<URL, "hostname" | "port" | "protocol">): string =>
  `${hostname}:${port || schemes[protocol]}`;

/** One spelling for each host, so that `[0:0:0:0:0:0:0:1]:80` and `[::1]:80` are the same. */
export function allowedHosts(allow: readonly string[]): ReadonlySet<string> {
  const spelled = allow.map((entry) => {
    const colon = entry.lastIndexOf(":");
    const host = `http://${entry.slice(0, colon)}`;
    return `${URL.canParse(host) ? new URL(host).hostname : entry.slice(0, colon)}${entry.slice(colon)}`;
  });
  return new Set(spelled);
}

/**
 * Names that never mean a host on the public Internet, though a local resolver may know them (RFC 6761, 6762, 7686).
 */
const localNames = /(^|\.)(localhost|local|internal|home\.arpa|onion|localdomain|lan|intranet|corp|home)$/;

/** What a URL says without asking anyone; a text says why it is refused. */
export function readDestination(text: string, allow: ReadonlySet<string>): Destination | string {
  if (!URL.canParse(text)) return "write a full address, such as https://example.com/hooks";
  const url = new URL(text);
  if (schemes[url.protocol] === undefined) return "the address must begin with https://";
  // fetch-like parsers correct these silently, so what a person reads would not be what is called
  if (!/^https?:\/\/[^/\\@]/i.test(text) || /[\s\\]/.test(text))
    return "write the address without blanks or backslashes";
  if (url.username !== "" || url.password !== "" || text.split(/[/?#]/)[2]?.includes("@")) {
    return "the address must not carry a user name or password";
  }
  if (url.port === "0") return "no server listens on port 0";
  if (allow.has(hostAndPort(url))) return { url, allowed: true };
  if (url.protocol !== "https:") return "the address must begin with https://";
  return refusedHost(url.hostname) ?? { url, allowed: false };
}

function refusedHost(hostname: string): string | null {
  const literal = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  if (isIP(literal) !== 0) return isPublicAddress(literal) ? null : "the address is not public";
  if (hostname.length > 253 || hostname.split(".").some((label) => label === "" || label.length > 63)) {
    return "the host is not a name that can be resolved";
  }
  if (!hostname.includes(".") || localNames.test(hostname)) return "the host is not a public name";
  return null;
}

/** Long enough for a resolver that asks around once, short enough for whoever saves an endpoint. */
const resolvesWithinMs = 3_000;

/**
 * Why a URL cannot be an endpoint's, or null when it can. A name that does not resolve now is accepted: its deliveries
 * fail until it does [webhooks.unresolved-names]. `allow` is WEBHOOK_ALLOW_HOSTS.
 */
export async function vetUrl(
  text: string,
  allow: readonly string[],
  resolve: Resolve = resolvePublic,
): Promise<string | null> {
  const destination = readDestination(text, allowedHosts(allow));
  if (typeof destination === "string") return destination;
  const { url, allowed } = destination;
  if (allowed || isIP(url.hostname) !== 0 || url.hostname.startsWith("[")) return null;
  const addresses = await withinMs(resolvesWithinMs, resolve(url.hostname)).catch(() => []);
  return addresses.every(isPublicAddress) ? null : "the host has an address that is not public";
}

async function withinMs<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Asks DNS itself. The operating system's look-up would hold one of four threads for as long as a receiver's name
 * server hangs, and would know names of this machine and its network that are nobody else's business.
 */
export const resolvePublic: Resolve = async (host) => {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  const lookups = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = lookups.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const [first] = lookups;
  if (found.length === 0) throw first.status === "rejected" ? first.reason : new Error("the name has no address");
  return found;
};

/** The look-up of the operating system, hosts file included: for the hosts that the operator lists. */
export const resolveLocal: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};
