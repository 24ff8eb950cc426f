import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** User agents of people's browsers, as a public counter of visits saw them: npm's user-agents 2.1.198 (BSD-2-Clause). */
const counted = join(dirname(createRequire(import.meta.url).resolve("user-agents")), "user-agents.json");

/** Browsers inside apps, and phones whose names sound like a robot's; written after the forms that their makers document. */
const inApps = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/480.0.0.33.100;FBDV/iPhone15,2;FBSN/iOS]",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21G80 Instagram 341.0.3.23.90 (iPhone14,5; iOS 17_6; en_US)",
  "Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0 Mobile Safari/537.36 [Pinterest/Android]",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/320.0.6 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 13; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/125.0 Mobile Safari/537.36 musical_ly_2023 BytedanceWebview/d8a21c6",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/20G75 Snapchat/12.80.0.33",
  "Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 21) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.42 NetType/WIFI Language/en",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari Line/14.5.0",
  "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile DuckDuckGo/5 Safari/537.36",
];

export const peoplesUserAgents: readonly string[] = [
  ...new Set([
    ...(JSON.parse(readFileSync(counted, "utf8")) as { userAgent: string }[]).map(({ userAgent }) => userAgent),
    ...inApps,
  ]),
];
