/** The values of analytics parameters, without shapes, so that browsers need not load those. */

export const buckets = ["added_from_quiz", "shown_bought_later", "bought_not_shown"] as const;
export type Bucket = (typeof buckets)[number];
export const periods = ["7d", "30d"] as const;
export const cohorts = ["all", "finished", "left"] as const;
export const comparisonSorts = [
  "name",
  "views",
  "starts",
  "completion_rate",
  "opt_ins",
  "orders",
  "revenue",
  "share",
] as const;
export const directions = ["asc", "desc"] as const;
export const productSorts = ["revenue", "units", "orders", "times_shown", "title"] as const;
export const trafficDimensions = [
  "referrer_host",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
  "page_url",
  "placement",
] as const;
export type TrafficDimension = (typeof trafficDimensions)[number];
