import { read, send } from "./client.js";

/**
 * Yesterday and the six days before it, of the whole store, and then each quiz: what a morning's message would say. Asked a
 * second time with the first answer's ETag: as long as no figure changed, that is a 304, which costs a third.
 */

const { timezone, currency } = await read("/v1/store");
const day = (ago) => new Intl.DateTimeFormat("sv-SE", { timeZone: timezone }).format(Date.now() - ago * 86_400_000);
const range = new URLSearchParams({ from: day(7), to: day(1), tz: timezone });

const path = `/v1/analytics/overview?${range}`;
const first = await send("GET", path);
const overview = await first.json();
const { totals } = overview;
console.log(`${range.get("from")} to ${range.get("to")}, ${timezone}, as of ${overview.freshness.as_of}`);
console.log(`views ${totals.views}, starts ${totals.starts}, completions ${totals.completions}`);
console.log(`orders ${totals.orders}, revenue ${totals.revenue.amount} ${currency}`);

const { data } = await read(`/v1/analytics/quizzes?${range}&sort=revenue`);
for (const { name, views, completions, revenue } of data) {
  console.log(`  ${name}: ${views} views, ${completions} completions, ${revenue.amount}`);
}

const again = await send("GET", path, { headers: { "if-none-match": first.headers.get("etag") } });
console.log(again.status === 304 ? "unchanged since" : "figures moved meanwhile");
