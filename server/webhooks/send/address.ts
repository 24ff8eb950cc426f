import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Which IP addresses a webhook may be sent to [webhooks.safe-addresses]. Everything that is not plain public unicast
 * is refused: what reaches this machine, its network, its cloud's metadata, or an IPv4 address wrapped into another.
 */

type Range = readonly [network: string, bits: number];

const refusedIpv4: readonly Range[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  // carrier-grade NAT; some clouds keep their metadata here
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // link-local, with the metadata address of most clouds
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  // AS112 and AMT: answered by whoever is near
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  // 6to4 relays
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  // Azure's host, from inside a virtual machine
  ["168.63.129.16", 32],
];

/** Only these are global unicast at all: mapped, NAT64, unique local, link-local and multicast lie outside. */
const globalIpv6: Range = ["2000::", 3];

const refusedIpv6: readonly Range[] = [
  // protocol assignments: Teredo, benchmarking, ORCHID, AMT, AS112
  ["2001::", 23],
  ["2001:db8::", 32],
  // 6to4
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
];

const parsed = (ranges: readonly Range[]): [ipaddr.IPv4 | ipaddr.IPv6, number][] =>
  ranges.map(([network, bits]) => [ipaddr.parse(network), bits]);

const ipv4 = parsed(refusedIpv4);
const ipv6 = parsed(refusedIpv6);
const [global] = parsed([globalIpv6]);

const lies = (address: ipaddr.IPv4 | ipaddr.IPv6, range: [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined): boolean =>
  range !== undefined && address.match(range);

/** ISATAP: an interface id that holds an IPv4 address behind 0000:5efe or 0200:5efe. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && ((parts[4] ?? 0) & 0xfdff) === 0;

/**
 * Whether a text is the literal of a public unicast address. False for anything that is no address, zone ids included.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes("%")) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return !ipv4.some((range) => lies(address, range));
  return lies(address, global) && !ipv6.some((range) => lies(address, range)) && !isIsatap(address);
}
