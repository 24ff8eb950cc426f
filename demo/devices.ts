import type { ReportedSession } from "../contract/storefront.ts";

/** Browsers of the demo's shoppers: their user agents, and each one's share of visits. */
export interface Device {
  deviceClass: "mobile" | "desktop" | "tablet" | "other";
  share: number;
  userAgent: string;
  clientHints?: NonNullable<ReportedSession["client_hints"]>;
}

const iphone = (os: string, tail: string) =>
  `Mozilla/5.0 (iPhone; CPU iPhone OS ${os} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ${tail}`;
const android = (system: string, tail: string) =>
  `Mozilla/5.0 (Linux; Android ${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${tail}`;
const windows = (tail: string) =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ${tail}`;
const mac = (tail: string) => `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${tail}`;
const chromium = "AppleWebKit/537.36 (KHTML, like Gecko)";

const phones: Device[] = [
  { deviceClass: "mobile", share: 17, userAgent: iphone("18_5", "Version/18.5 Mobile/15E148 Safari/604.1") },
  { deviceClass: "mobile", share: 12, userAgent: iphone("17_6_1", "Version/17.6 Mobile/15E148 Safari/604.1") },
  { deviceClass: "mobile", share: 4, userAgent: iphone("16_7_10", "Version/16.6 Mobile/15E148 Safari/604.1") },
  { deviceClass: "mobile", share: 2, userAgent: iphone("18_4", "CriOS/137.0.7151.79 Mobile/15E148 Safari/604.1") },
  {
    deviceClass: "mobile",
    share: 6,
    userAgent: iphone(
      "18_5",
      "Mobile/22F76 Instagram 385.0.0.38.78 (iPhone15,3; iOS 18_5; en_US; en; scale=3.00; 1290x2796; 745865424)",
    ),
  },
  {
    deviceClass: "mobile",
    share: 2,
    userAgent: iphone(
      "17_5_1",
      "Mobile/15E148 [FBAN/FBIOS;FBAV/516.0.0.38.100;FBDV/iPhone14,5;FBMD/iPhone;FBSV/17.5.1]",
    ),
  },
  {
    deviceClass: "mobile",
    share: 9,
    userAgent: android("10; K", "Chrome/137.0.0.0 Mobile Safari/537.36"),
    clientHints: { platform: "Android", platform_version: "15.0.0", model: "SM-S928B", mobile: true },
  },
  {
    deviceClass: "mobile",
    share: 5,
    userAgent: android("10; K", "Chrome/136.0.0.0 Mobile Safari/537.36"),
    clientHints: { platform: "Android", platform_version: "14.0.0", model: "Pixel 8", mobile: true },
  },
  { deviceClass: "mobile", share: 3, userAgent: android("10; K", "Chrome/135.0.0.0 Mobile Safari/537.36") },
  {
    deviceClass: "mobile",
    share: 3,
    userAgent: android("10; K", "SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36"),
  },
  {
    deviceClass: "mobile",
    share: 1,
    userAgent: "Mozilla/5.0 (Android 14; Mobile; rv:139.0) Gecko/139.0 Firefox/139.0",
  },
  {
    deviceClass: "mobile",
    share: 1,
    userAgent: android("13; 2201117TG", "Version/4.0 Chrome/136.0.7103.125 Mobile Safari/537.36 musical_ly_2023901030"),
  },
];

const desktops: Device[] = [
  {
    deviceClass: "desktop",
    share: 9,
    userAgent: windows("Chrome/137.0.0.0 Safari/537.36"),
    clientHints: { platform: "Windows", platform_version: "15.0.0", model: "", mobile: false },
  },
  { deviceClass: "desktop", share: 3, userAgent: windows("Chrome/136.0.0.0 Safari/537.36") },
  {
    deviceClass: "desktop",
    share: 4,
    userAgent: windows("Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0"),
    clientHints: { platform: "Windows", platform_version: "10.0.0", model: "", mobile: false },
  },
  {
    deviceClass: "desktop",
    share: 2,
    userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:139.0) Gecko/20100101 Firefox/139.0",
  },
  {
    deviceClass: "desktop",
    share: 6,
    userAgent: mac("AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15"),
  },
  {
    deviceClass: "desktop",
    share: 4,
    userAgent: mac(`${chromium} Chrome/137.0.0.0 Safari/537.36`),
    clientHints: { platform: "macOS", platform_version: "15.5.0", model: "", mobile: false },
  },
  {
    deviceClass: "desktop",
    share: 1,
    userAgent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:138.0) Gecko/20100101 Firefox/138.0",
  },
  {
    deviceClass: "desktop",
    share: 1,
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) ${chromium} Chrome/136.0.0.0 Safari/537.36`,
  },
  {
    deviceClass: "desktop",
    share: 1,
    userAgent: `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chromium} Chrome/136.0.0.0 Safari/537.36`,
  },
];

const others: Device[] = [
  {
    deviceClass: "tablet",
    share: 3,
    userAgent:
      "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
  },
  {
    deviceClass: "tablet",
    share: 1,
    userAgent: android("13; SM-X906C", "Chrome/136.0.0.0 Safari/537.36"),
    clientHints: { platform: "Android", platform_version: "13.0.0", model: "SM-X906C", mobile: false },
  },
  {
    deviceClass: "tablet",
    share: 0.5,
    userAgent: android("11; KFTRWI", "Silk/135.3.3 like Chrome/135.0.7049.111 Safari/537.36"),
  },
  {
    deviceClass: "other",
    share: 0.3,
    userAgent:
      "Mozilla/5.0 (PlayStation; PlayStation 5/9.60) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15",
  },
  {
    deviceClass: "other",
    share: 0.2,
    userAgent: `Mozilla/5.0 (SMART-TV; Linux; Tizen 8.0) ${chromium} 120.0.6099.5/8.0 TV Safari/537.36`,
  },
];

export const devices: readonly Device[] = [...phones, ...desktops, ...others];
