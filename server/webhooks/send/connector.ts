import { isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector } from "undici";
import { isPublicAddress } from "./address.ts";
import { allowedHosts, hostAndPort, type Resolve, resolveLocal, resolvePublic } from "./url.ts";

/**
 * Opens connections to receivers [webhooks.safe-connections]. Each connect resolves the name, vets every address, and
 * dials one of exactly those addresses. An earlier check when the endpoint was saved proves nothing about what the name
 * resolves to now, and a second look-up could return other addresses. TLS is verified against the host name.
 */
export interface ConnectorDeps {
  /** WEBHOOK_ALLOW_HOSTS */
  allow: readonly string[];
  resolve?: Resolve;
  /** from the DNS look-up to the end of the TLS handshake */
  connectMs: number;
  /** certificate authorities to trust instead of the usual ones */
  ca?: string | undefined;
}

/** The address is not one that a webhook may reach. */
export class UnsafeAddress extends Error {
  readonly code = "UNSAFE_ADDRESS";
}

export class ConnectTimeout extends Error {
  readonly code = "CONNECT_TIMEOUT";
}

/** Delay before the next address of a host is tried, so that a broken IPv6 does not use up the whole time. */
const nextAddressAfterMs = 1_000;

export function safeConnector(options: ConnectorDeps): buildConnector.connector {
  const allow = allowedHosts(options.allow);
  const settings = {
    // the timer below covers the look-up too, and is exact
    timeout: 0,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  };
  const guarded = buildConnector({ ...settings, lookup: vettedLookup(options.resolve ?? resolvePublic) });
  const trusting = buildConnector({ ...settings, lookup: plainLookup(options.resolve ?? resolveLocal) });
  return (target, callback) => {
    const literal = isIP(target.hostname) !== 0;
    const hostname = isIP(target.hostname) === 6 ? `[${target.hostname}]` : target.hostname;
    const allowed = allow.has(hostAndPort({ hostname, protocol: target.protocol, port: target.port }));
    if (!allowed && (target.protocol !== "https:" || (literal && !isPublicAddress(target.hostname)))) {
      callback(new UnsafeAddress("the address is not public"), null);
      return;
    }
    // undici's types hide that its connector returns the socket
    const connect = (allowed ? trusting : guarded) as unknown as (
      target: buildConnector.Options,
      done: buildConnector.Callback,
    ) => Socket;
    const socket = connect(target, (...answer) => {
      clearTimeout(timer);
      callback(...answer);
    });
    const timer = setTimeout(() => socket.destroy(new ConnectTimeout("no connection in time")), options.connectMs);
  };
}

const lookupOf =
  (find: (host: string) => Promise<readonly string[]>): LookupFunction =>
  (host, { all }, found) => {
    find(host).then(
      (addresses) => {
        // IPv4 first: receivers with a broken IPv6 are more common than the reverse
        const list = addresses
          .map((address) => ({ address, family: isIP(address) }))
          .sort((a, b) => a.family - b.family);
        const [first] = list;
        if (first === undefined) found(new Error("the name has no address"), "");
        else if (all) found(null, list);
        else found(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => found(error, ""),
    );
  };

const plainLookup = (resolve: Resolve): LookupFunction => lookupOf(resolve);

const vettedLookup = (resolve: Resolve): LookupFunction =>
  lookupOf(async (host) => {
    const addresses = await resolve(host);
    if (!addresses.every(isPublicAddress)) throw new UnsafeAddress("the host has an address that is not public");
    return addresses;
  });
