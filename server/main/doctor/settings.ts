import ipaddr from "ipaddr.js";
import type { Config } from "../../platform/config.ts";
import { ok, type Seen, warn } from "./findings.ts";

/** Checks for settings that are well-formed but probably not intended. */

type Judged = Pick<Config, "clockSpeed" | "webhookAllowHosts" | "databaseUrl" | "baseUrl">;

/** @param isSet whether BASE_URL was given; without it, the address is made of the port */
export function inspectSettings(config: Judged, isSet: boolean): Seen {
  const odd: string[] = [];
  if (config.clockSpeed !== 1) odd.push("CLOCK_SPEED makes stored times run faster");
  if (config.webhookAllowHosts.length > 0) odd.push("WEBHOOK_ALLOW_HOSTS opens private addresses to webhooks");
  // with the embedded database it may be a trial on somebody's own machine
  if (config.databaseUrl !== null && namesThisMachine(new URL(config.baseUrl).hostname)) {
    const which = isSet
      ? `is ${config.baseUrl}, which only`
      : `is not set: links in answers name ${config.baseUrl}, which only`;
    odd.push(`BASE_URL ${which} this machine reaches`);
  }
  if (odd.length === 0) return ok("well-formed");
  return warn(odd.join("; "), "remove these trial settings in production, and set BASE_URL to the public address");
}

/** Whether a host of an address means the machine itself, to whoever follows a link. */
function namesThisMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  return ipaddr.isValid(host) && ["loopback", "unspecified"].includes(ipaddr.process(host).range());
}
