import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Which IP addresses a webhook may be sent to [webhooks.safe-addresses]. Everything that is not plain public unicast
 * is refused: what reaches this machine, its network, its cloud's metadata, or an IPv4 address wrapped into another.
 * The library knows the registries of special addresses; the tests name each range.
 */

/** Only these IPv6 addresses are global unicast at all: mapped, NAT64, unique local, link-local lie outside. */
const globalIpv6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** All protocol assignments, those of the future included, and the second range for documentation. */
const refusedIpv6 = ["2001::/23", "3fff::/20"].map((range) => ipaddr.IPv6.parseCIDR(range));
/** Azure's host, from inside a virtual machine. */
const azureHost = "168.63.129.16";

/** ISATAP: an interface id that holds an IPv4 address behind 0000:5efe or 0200:5efe. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && ((parts[4] ?? 0) & 0xfdff) === 0;

/**
 * Whether a text is the literal of a public unicast address. False for anything that is no address, zone ids included.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes("%")) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== azureHost;
  return address.match(globalIpv6) && !refusedIpv6.some((range) => address.match(range)) && !isIsatap(address);
}
