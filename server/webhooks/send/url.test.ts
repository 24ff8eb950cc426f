import { describe, expect, it } from "vitest";
import { resolveLocal, vetUrl } from "./url.ts";

const names: Record<string, readonly string[]> = {
  "hooks.example.com": ["93.184.216.34"],
  "both.example.com": ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"],
  "inside.example.com": ["10.0.0.8"],
  "mixed.example.com": ["93.184.216.34", "192.168.1.1"],
  "mixed6.example.com": ["93.184.216.34", "::1"],
  "metadata.example.com": ["169.254.169.254"],
  "xn--r8jz45g.jp": ["93.184.216.34"],
};

const resolve = async (host: string) => {
  const found = names[host];
  if (found === undefined) throw new Error("no such name");
  return found;
};

const vet = (url: string, allow: readonly string[] = []) => vetUrl(url, allow, resolve);

const accepted = [
  "https://hooks.example.com",
  "https://hooks.example.com/a/b?c=d#e",
  "https://hooks.example.com:8443/hooks",
  "https://hooks.example.com:80/hooks",
  "https://HOOKS.example.COM/",
  "HTTPS://hooks.example.com/",
  "https://both.example.com/",
  "https://例え.jp/hooks",
  "https://8.8.8.8/hooks",
  "https://[2606:4700:4700::1111]/hooks",
  "https://hooks.example.com/@somebody",
  "https://hooks.example.com/?mail=a@b",
  // nobody knows them now; their deliveries fail until somebody does
  "https://not-there-yet.example.com/",
  "https://nothing.invalid/",
];

const refused = [
  "",
  "hooks.example.com",
  "//hooks.example.com",
  "/hooks",
  "http://hooks.example.com/",
  "ftp://hooks.example.com/",
  "file:///etc/passwd",
  "gopher://hooks.example.com/",
  "javascript:alert(1)",
  "data:text/plain,x",
  "https:hooks.example.com",
  "https:/hooks.example.com",
  "https:///hooks.example.com",
  "https:\\\\hooks.example.com",
  "https://hooks.example.com\\@10.0.0.1/",
  "https://hooks .example.com/",
  " https://hooks.example.com/",
  "https://hooks.example.com/\n",
  "https://hoo\tks.example.com/",
  "https://",
  "https://:443/",
  "https://user@hooks.example.com/",
  "https://user:password@hooks.example.com/",
  "https://:@hooks.example.com/",
  "https://@hooks.example.com/",
  "https://hooks.example.com@10.0.0.1/",
  "https://10.0.0.1@hooks.example.com/",
  "https://hooks.example.com:0/",
  "https://hooks.example.com:99999/",
  "https://hooks.example.com./",
  "https://.example.com/",
  "https://hooks..example.com/",
  `https://${"a".repeat(64)}.example.com/`,
  // names of this machine and network
  "https://localhost/",
  "https://LOCALHOST/",
  "https://localhost./",
  "https://ⓛocalhost/",
  "https://app.localhost/",
  "https://intranet/",
  "https://db/",
  "https://metadata.google.internal/computeMetadata/v1/",
  "https://printer.local/",
  "https://router.home.arpa/",
  "https://service.onion/",
  // literals in every writing
  "https://127.0.0.1/",
  "https://127.0.0.1./",
  "https://127.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0x7f.0.0.1/",
  "https://0177.0.0.1/",
  "https://017700000001/",
  "https://127。0。0。1/",
  "https://%31%32%37.0.0.1/",
  "https://0/",
  "https://0.0.0.0/",
  "https://10.0.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://2852039166/",
  "https://0xa9fea9fe/",
  "https://168.63.129.16/",
  "https://100.64.0.1/",
  "https://192.168.0.1:8443/",
  "https://255.255.255.255/",
  "https://[::1]/",
  "https://[::]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[2002:7f00:1::]/",
  "https://[2001::1]/",
  "https://[fe80::1]/",
  "https://[fe80::1%25eth0]/",
  "https://[fd00:ec2::254]/",
  "https://[fec0::1]/",
  // names that mean such an address
  "https://inside.example.com/",
  "https://mixed.example.com/",
  "https://mixed6.example.com/",
  "https://metadata.example.com/",
];

describe("addresses of endpoints [webhooks.safe-addresses]", () => {
  it.each(accepted)("accepts %s", async (url) => expect(await vet(url)).toBeNull());

  it.each(refused)("refuses %j and says why", async (url) => expect(await vet(url)).toMatch(/^(the|write|no) /));

  it("accepts what the operator lists, over http and on private addresses, and only that [webhooks.allowed-hosts]", async () => {
    const allow = ["127.0.0.1:3000", "localhost:3000", "[::1]:3000", "inside.example.com:443"];
    for (const url of [
      "http://127.0.0.1:3000/hooks",
      "https://127.0.0.1:3000/hooks",
      "http://localhost:3000/",
      "http://[0:0:0:0:0:0:0:1]:3000/",
      "https://inside.example.com/",
    ]) {
      expect(await vet(url, allow)).toBeNull();
    }
    for (const url of [
      "http://127.0.0.1:3001/",
      "https://127.0.0.1/",
      "http://127.0.0.2:3000/",
      "http://user@127.0.0.1:3000/",
      "http://inside.example.com/",
      "ftp://127.0.0.1:3000/",
    ]) {
      expect(await vet(url, allow)).not.toBeNull();
    }
  });

  it("accepts a name whose look-up does not end in time, as one that does not resolve [webhooks.unresolved-names]", async () => {
    expect(await vetUrl("https://slow.example.com/", [], () => new Promise(() => undefined))).toBeNull();
  });

  it("asks the operating system for the hosts that the operator lists [webhooks.allowed-hosts]", async () => {
    expect(await resolveLocal("localhost")).toContain("127.0.0.1");
  });
});
