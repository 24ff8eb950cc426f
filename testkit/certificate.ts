import { generateKeyPairSync, sign } from "node:crypto";
import { isIP } from "node:net";

/**
 * A self-signed certificate for a host, generated on demand, so that the project contains no key and nothing expires.
 */

/** DER (X.690): a tag, the length, the content. */
function der(tag: number, ...content: (Buffer | number[])[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part)));
  const long = body.length > 255 ? [0x82, body.length >> 8, body.length & 255] : [0x81, body.length];
  return Buffer.concat([Buffer.from([tag, ...(body.length < 128 ? [body.length] : long)]), body]);
}

const sequence = (...content: (Buffer | number[])[]) => der(0x30, ...content);
const utf8 = (text: string) => der(0x0c, Buffer.from(text));
const time = (text: string) => der(0x18, Buffer.from(text));

const commonName = der(0x06, [0x55, 0x04, 0x03]);
const subjectAltName = der(0x06, [0x55, 0x1d, 0x11]);
const basicConstraints = der(0x06, [0x55, 0x1d, 0x13]);
const ecdsaWithSha256 = sequence(der(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));

function nameOf(host: string): Buffer {
  if (isIP(host) === 4) return der(0x87, host.split(".").map(Number));
  return der(0x82, Buffer.from(host));
}

export interface TestCertificate {
  key: string;
  cert: string;
}

export function certificateFor(...hosts: string[]): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(commonName, utf8("a receiver in a test"))));
  const extensions = sequence(
    sequence(basicConstraints, der(0x01, [0xff]), der(0x04, sequence(der(0x01, [0xff])))),
    sequence(subjectAltName, der(0x04, sequence(...hosts.map(nameOf)))),
  );
  const content = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    ecdsaWithSha256,
    name,
    sequence(time("20200101000000Z"), time("21200101000000Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = sign("sha256", content, privateKey);
  const certificate = sequence(content, ecdsaWithSha256, der(0x03, [0], signature)).toString("base64");
  const lines = certificate.match(/.{1,64}/g)?.join("\n") ?? "";
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
