import type { Random } from "./random.ts";

/** Where the demo's shoppers live: local time shapes the day's traffic, and the country their phone numbers. */
export interface Place {
  /** ISO 3166-1 alpha-2; null stands for addresses missing from IP databases */
  country: string | null;
  share: number;
  /** offset of local time from UTC, standard time all year: an hour more or less is not visible in a day's curve */
  offsetHours: number;
  /** a mobile number as people there type it; null if the country reserves no fictitious numbers */
  phone: ((random: Random) => string) | null;
}

const digits = (random: Random, count: number) => Array.from({ length: count }, () => random.int(0, 9)).join("");

// 555 is an exchange without subscribers in North America.
const northAmerican = (areas: readonly string[]) => (random: Random) => {
  const [area, line] = [random.pick(areas), digits(random, 4)];
  return random.pick([`(${area}) 555-${line}`, `${area}-555-${line}`, `${area} 555 ${line}`, `+1${area}555${line}`]);
};
// Reserved for film and radio by Ofcom (07700 900xxx), Arcep (06 39 98 xx xx) and ACMA (0491 57x xxx).
const british = (random: Random) => random.pick(["07700 900", "+44 7700 900"]) + digits(random, 3);
const french = (random: Random) => `06 39 98 ${digits(random, 2)} ${digits(random, 2)}`;
const australian = (random: Random) => `0491 57${random.pick(["0", "1"])} ${digits(random, 3)}`;

export const places: readonly Place[] = [
  {
    country: "US",
    share: 31,
    offsetHours: -5,
    phone: northAmerican(["212", "617", "305", "404", "215", "202", "919"]),
  },
  { country: "US", share: 14, offsetHours: -6, phone: northAmerican(["312", "512", "713", "612", "615", "504"]) },
  { country: "US", share: 17, offsetHours: -8, phone: northAmerican(["415", "213", "206", "503", "619", "702"]) },
  { country: "CA", share: 9, offsetHours: -5, phone: northAmerican(["416", "514", "613"]) },
  { country: "GB", share: 9, offsetHours: 0, phone: british },
  { country: "DE", share: 4, offsetHours: 1, phone: null },
  { country: "FR", share: 3.5, offsetHours: 1, phone: french },
  { country: "AU", share: 4.5, offsetHours: 10, phone: australian },
  { country: "IN", share: 3, offsetHours: 5.5, phone: null },
  { country: "JP", share: 2, offsetHours: 9, phone: null },
  { country: "BR", share: 1.5, offsetHours: -3, phone: null },
  { country: null, share: 1.5, offsetHours: -5, phone: null },
];
