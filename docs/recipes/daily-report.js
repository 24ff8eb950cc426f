import { compareQuizzes, getStore, getStoreAnalyticsOverview } from "@quizstore/client";
import { client } from "./client.js";

/**
 * Yesterday and the six days before it, of the whole store, and then each quiz: what a morning's message would say. Asked a
 * second time with the first answer's ETag: as long as no figure changed, the answer is null and costs a third.
 */

const { timezone: tz, currency } = await getStore(client);
const day = (ago) => new Intl.DateTimeFormat("sv-SE", { timeZone: tz }).format(Date.now() - ago * 86_400_000);
const range = { from: day(7), to: day(1), tz };

const { data: overview, etag } = await getStoreAnalyticsOverview(client, { query: range }).withResponse();
const { totals } = overview;
console.log(`${range.from} to ${range.to}, ${tz}, as of ${overview.freshness.as_of}`);
console.log(`views ${totals.views}, starts ${totals.starts}, completions ${totals.completions}`);
console.log(`orders ${totals.orders}, revenue ${totals.revenue.amount} ${currency}`);

const { data } = await compareQuizzes(client, { query: { ...range, sort: "revenue" } });
for (const { name, views, completions, revenue } of data) {
  console.log(`  ${name}: ${views} views, ${completions} completions, ${revenue.amount}`);
}

const again = await getStoreAnalyticsOverview(client, { query: range }, { ifNoneMatch: etag });
console.log(again === null ? "unchanged since" : "figures moved meanwhile");
