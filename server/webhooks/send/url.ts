import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { isPublicAddress } from "./address.ts";

/** Which URLs a webhook endpoint may have [webhooks.safe-addresses]. */

/** Every address of a host name; rejects if it has none or resolution fails. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface Destination {
  url: URL;
  /** listed by the operator: plain http and private addresses are allowed */
  allowed: boolean;
}

const schemes: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" };

/** `host:port` of a URL in the form of WEBHOOK_ALLOW_HOSTS, always with a port [webhooks.allowed-hosts]. */
export const hostAndPort = ({ hostname, port, protocol }: Pick<URL, "hostname" | "port" | "protocol">): string =>
  `${hostname}:${port || schemes[protocol]}`;

/** Normalizes hosts, so that `[0:0:0:0:0:0:0:1]:80` and `[::1]:80` are equal. */
export function allowedHosts(allow: readonly string[]): ReadonlySet<string> {
  const spelled = allow.map((entry) => {
    const colon = entry.lastIndexOf(":");
    const host = `http://${entry.slice(0, colon)}`;
    return `${URL.canParse(host) ? new URL(host).hostname : entry.slice(0, colon)}${entry.slice(colon)}`;
  });
  return new Set(spelled);
}

/** Names that never denote a public host, although a local resolver may know them (RFC 6761, 6762, 7686). */
const localNames = /(^|\.)(localhost|local|internal|home\.arpa|onion|localdomain|lan|intranet|corp|home)$/;

/** Checks a URL without any look-up. A returned string is the reason for refusal. */
export function readDestination(text: string, allow: ReadonlySet<string>): Destination | string {
  if (!URL.canParse(text)) return "write a full address, such as https://example.com/hooks";
  const url = new URL(text);
  if (schemes[url.protocol] === undefined) return "the address must begin with https://";
  // URL parsers correct these silently, so the address that is called would differ from the one that people read
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

/** Long enough for a resolver to query other servers once, short enough for a person who saves an endpoint. */
const resolvesWithinMs = 3_000;

/**
 * Why a URL is refused for an endpoint, or null. A name that does not resolve now is accepted; its deliveries fail
 * until it does [webhooks.unresolved-names]. `allow` is WEBHOOK_ALLOW_HOSTS.
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
 * Queries DNS directly. The operating system's look-up would block one of four threads while a receiver's name server
 * hangs, and would resolve names of this machine and its network, which must not be revealed.
 */
export const resolvePublic: Resolve = async (host) => {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  const lookups = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = lookups.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const [first] = lookups;
  if (found.length === 0) throw first.status === "rejected" ? first.reason : new Error("the name has no address");
  return found;
};

/** The operating system's look-up, including the hosts file, for hosts that the operator lists. */
export const resolveLocal: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};
