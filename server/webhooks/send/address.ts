import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Which IP addresses a webhook may be sent to [webhooks.safe-addresses]. Only plain public unicast is allowed. That
 * excludes this machine, its network, its cloud's metadata service, and IPv4 addresses embedded in IPv6. The library
 * knows the registries of special addresses; the tests name each range.
 */

/** The only global unicast range of IPv6. Mapped, NAT64, unique local and link-local addresses are outside it. */
const globalIpv6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** The range for protocol assignments, including future ones, and the second documentation range. */
const refusedIpv6 = ["2001::/23", "3fff::/20"].map((range) => ipaddr.IPv6.parseCIDR(range));
/** The address of the Azure host, reachable from inside a virtual machine. */
const azureHost = "168.63.129.16";

/** ISATAP: the interface id embeds an IPv4 address after 0000:5efe or 0200:5efe. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && ((parts[4] ?? 0) & 0xfdff) === 0;

/** Whether a text is a literal public unicast address. False for any other text, including addresses with a zone id. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes("%")) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== azureHost;
  return address.match(globalIpv6) && !refusedIpv6.some((range) => address.match(range)) && !isIsatap(address);
}
