import { describe, expect, it } from "vitest";
import { peoplesUserAgents } from "../../testkit/field/user-agents.ts";
import { isRobot } from "./robots.ts";

const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36";

describe("robots", () => {
  it.each([
    `Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html) ${chrome}`,
    "Googlebot/2.1 (+http://www.google.com/bot.html)",
    `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${chrome} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
    "AdsBot-Google (+http://www.google.com/adsbot.html)",
    "Mediapartners-Google",
    `Mozilla/5.0 ${chrome} (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)`,
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1 (Applebot/0.1; +http://www.apple.com/go/applebot)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "WhatsApp/2.23.20.0",
    "Twitterbot/1.0",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    `Mozilla/5.0 (Linux; Android 11; moto g power (2022)) ${chrome} Chrome-Lighthouse`,
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/137.0.0.0 Safari/537.36",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
  ])("are known: %s [sessions.robots]", (userAgent) => {
    expect(isRobot(userAgent)).toBe(true);
  });

  it.each([null, "", "node", "undici", "curl/8.5.0", "python-requests/2.32.3", "okhttp/4.12.0", "Go-http-client/2.0"])(
    "are no programs that report shoppers: %s [sessions.robots]",
    (userAgent) => {
      expect(isRobot(userAgent)).toBe(false);
    },
  );

  it("are none of the people who shop [sessions.robots]", () => {
    expect(peoplesUserAgents.length).toBeGreaterThanOrEqual(500);
    expect(peoplesUserAgents.filter(isRobot)).toEqual([]);
  });
});
