import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress } from "./address.ts";

const publicAddresses = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.1",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "168.63.129.15",
  "168.63.129.17",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.1",
  "192.167.255.255",
  "192.169.0.1",
  "198.17.255.255",
  "198.20.0.0",
  "203.0.112.255",
  "223.255.255.255",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
  "3ffe:ffff::1",
];

const refused = [
  // this machine and network
  "0.0.0.0",
  "0.1.2.3",
  "127.0.0.1",
  "127.255.255.254",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.127.255.255",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "192.168.255.255",
  "169.254.0.1",
  // metadata
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "fd00:ec2::254",
  "fd20:ce::254",
  // reserved, documentation, benchmarks, anycast services, multicast
  "192.0.0.1",
  "192.0.2.1",
  "192.31.196.1",
  "192.52.193.1",
  "192.88.99.1",
  "192.175.48.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  // IPv6 of this machine and network
  "::",
  "::1",
  "fc00::1",
  "fdff:ffff::1",
  "fe80::1",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "ff0e::1",
  // IPv4 in other clothes
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:0:127.0.0.1",
  "::127.0.0.1",
  "::8.8.8.8",
  "64:ff9b::127.0.0.1",
  "64:ff9b::8.8.8.8",
  "64:ff9b:1::1",
  "2002:7f00:1::",
  "2002:808:808::1",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2606:4700::5efe:10.0.0.1",
  "2606:4700::200:5efe:10.0.0.1",
  // documentation, benchmarks, discard, ORCHID, segment routing
  "2001:db8::1",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:1ff:ffff::1",
  "2620:4f:8000::1",
  "3fff::1",
  "100::1",
  "5f00::1",
  "4000::1",
  "e000::1",
];

const noAddresses = [
  "",
  "localhost",
  "example.com",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "017700000001",
  "0177.0.0.1",
  "127.1",
  "8.8.8",
  "8.8.8.8.",
  " 8.8.8.8",
  "8.8.8.8:443",
  "8.8.8.8/8",
  "256.8.8.8",
  "[2606:4700:4700::1111]",
  "2606:4700:4700::1111%eth0",
  "fe80::1%1",
  "::ffff:7f00:1%lo",
  "2606:4700:4700:::1111",
];

describe("addresses that webhooks may reach [webhooks.safe-addresses]", () => {
  it.each(publicAddresses)("takes %s", (address) => expect(isPublicAddress(address)).toBe(true));
  it.each(refused)("refuses %s", (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(noAddresses)("does not take %j for an address", (text) => expect(isPublicAddress(text)).toBe(false));

  it("refuses every IPv4 address of RFC 1918, loopback and link-local in every IPv6 form that carries one", () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const inside = fc.oneof(
      fc.tuple(fc.constant(10), byte, byte, byte),
      fc.tuple(fc.constant(127), byte, byte, byte),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    );
    fc.assert(
      fc.property(inside, (parts) => {
        const [a, b, c, d] = parts.map((part) => part.toString(16).padStart(2, "0"));
        const dotted = parts.join(".");
        const forms = [
          dotted,
          `::ffff:${dotted}`,
          `::${dotted}`,
          `64:ff9b::${dotted}`,
          `64:ff9b:1::${dotted}`,
          `2002:${a}${b}:${c}${d}::1`,
          `2606:4700::5efe:${dotted}`,
        ];
        expect(forms.filter(isPublicAddress)).toEqual([]);
      }),
    );
  });
});
