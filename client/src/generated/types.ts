// Made from openapi.json by `npm run client`; do not edit.

export type Store = {
  name: string;
  shop_domain: string;
  /** ISO 4217 code */
  currency: string;
  /** IANA name */
  timezone: string;
  /** Selects the limit table */
  plan_class: "plus" | "enterprise";
  /** What this key may do */
  scopes: (
    | "quizzes:read"
    | "quizzes:write"
    | "quizzes:publish"
    | "analytics:read"
    | "profiles:read"
    | "webhooks:manage"
  )[];
  /** The billing cycle is the calendar month in the store's timezone */
  credits: {
    /** Sessions that the plan includes in a billing cycle */
    limit: number;
    /** Sessions that answered their first question in the present billing cycle */
    used: number;
    /** Use at which the shop is told */
    threshold: number;
    /** Whether use past the limit may be charged */
    overages_enabled: boolean;
  };
  limits: {
    /** Burst of a key, in units */
    capacity: number;
    /** Sustained units a second of a key */
    leak_per_second: number;
    /** The store's bucket is this many times the key's */
    bot_multiplier: number;
    /** Seconds before a cached analytics answer may refresh */
    analytics_soft_ttl_seconds: number;
    /** Milliseconds that an export rests between pages */
    export_page_pause_ms: number;
    /** Endpoints that the store may have */
    webhook_endpoints: number;
    /** Sends a second to one endpoint */
    webhook_sends_per_second: number;
  };
};

export type FieldError = {
  /** Dotted path, such as body.label or query.from */
  field: string;
  message: string;
};

export type Problem = {
  /** Machine code to branch on */
  title: string;
  /** Stable address; answers a page about the error */
  type: string;
  /** For people; may change */
  detail: string;
  /** Repeats the HTTP status */
  status: number;
  /** Repeats the Request-Id header */
  request_id: string;
  /** Missing scopes, or the roles that may */
  required?: string[] | undefined;
  /** Seconds; on 429 and 503 */
  retry_after?: number | undefined;
  /** What was refused, field by field */
  errors?: FieldError[] | undefined;
  /** Longest range, in days */
  max_days?: number | undefined;
  /** The refused analytics filter */
  filter?: string | undefined;
  /** The refused filter's value */
  value?: string | undefined;
  /** The draft as it is now: who changed it last, and when */
  draft?:
    | {
        revision: number;
        saved_at: string;
        saved_by: string | null;
      }
    | undefined;
  /** The AI assistant's run on the quiz */
  assistant?:
    | {
        holder: string;
        started_at: string;
        expires_at: string;
      }
    | undefined;
  /** An export request for the same people */
  export?: Record<string, unknown> | undefined;
};

export type VersionSummary = {
  id: string;
  quiz_id: string;
  /** Counts from 1 within the quiz */
  number: number;
  label: string | null;
  page_count: number;
  /** True for the live version only */
  published: boolean;
  created_at: string;
};

export type QuizSummary = {
  id: string;
  name: string;
  /** draft: not served to shoppers; published: a version is live; deleted: soft-deleted, answered by the deletion alone */
  status: "draft" | "published" | "deleted";
  archived: boolean;
  /** Pages of the draft */
  page_count: number;
  created_at: string;
  /** Moves with draft, name, archive, publish and delete */
  updated_at: string;
  /** The live version; absent without one */
  published_version?: string | undefined;
  /** Absolute addresses */
  urls: Record<string, string>;
  /** Only with include=latest_version, and when a version was saved */
  latest_version?: VersionSummary | undefined;
};

export type Quiz = {
  id: string;
  name: string;
  /** draft: not served to shoppers; published: a version is live; deleted: soft-deleted, answered by the deletion alone */
  status: "draft" | "published" | "deleted";
  archived: boolean;
  /** Pages of the draft */
  page_count: number;
  created_at: string;
  /** Moves with draft, name, archive, publish and delete */
  updated_at: string;
  /** The live version; absent without one */
  published_version?: string | undefined;
  /** Absolute addresses */
  urls: Record<string, string>;
  /** The version described below: the live one, else the latest; null: the draft */
  definition_version: string | null;
  pages: {
    title: string;
    page_key: string;
    kind: "question" | "content" | "result";
    /** Counts from 1; null for a removed page */
    position: number | null;
    /** Another version had it, the present one lacks it */
    removed: boolean;
    /** The page's questions */
    components: {
      component_key: string;
      kind: "choice" | "image" | "text" | "email" | "phone" | "number" | "date";
      question: string;
      required: boolean;
      /** Another version had it, the present one lacks it */
      removed: boolean;
      /** Empty but for choice and image */
      options: {
        option_id: string;
        label: string;
        image_url: string | null;
        /** Another version had it, the present one lacks it */
        removed: boolean;
      }[];
    }[];
  }[];
  jump_rules: {
    jump_rule_key: string;
    source_page_key: string;
    target_page_key: string;
    /** Another version had it, the present one lacks it */
    removed: boolean;
  }[];
  dimensions: {
    dimension_id: string;
    name: string;
    /** Another version had it, the present one lacks it */
    removed: boolean;
  }[];
  formulas: {
    component_key: string;
    page_key: string;
    label: string;
    /** Another version had it, the present one lacks it */
    removed: boolean;
  }[];
};

export type Finding = {
  severity: "error" | "warning";
  /** What is found, as a word to branch on */
  code: string;
  /** Dotted path of the field, such as pages.0.title; empty for the whole document */
  path: string;
  message: string;
};

export type PublishApproval = {
  id: string;
  quiz_id: string;
  /** The version that would go live */
  version_id: string;
  /** The version that was live when it was asked for; null: none */
  replaces: string | null;
  /** `outdated`: another version has gone live since; `expired`: ten minutes passed */
  status: "open" | "published" | "declined" | "expired" | "outdated";
  /** Whose key or personal token asked */
  requested_by: string;
  created_at: string;
  /** Ten minutes after it was asked for */
  expires_at: string;
  /** Where a signed-in person decides, in the dashboard */
  url: string;
};

export type LiveVersion = {
  version_id: string;
  number: number;
  published_at: string | null;
};

export type AssistantRun = {
  /** Who runs the assistant */
  holder: string;
  started_at: string;
  /** Ten minutes after its last sign of life */
  expires_at: string;
};

export type Draft = {
  quiz_id: string;
  name: string;
  archived: boolean;
  /** The draft's, counted up with each change; also its ETag */
  revision: number;
  /** When the draft was last changed */
  saved_at: string;
  /** Who changed it last; null where nobody knows */
  saved_by: string | null;
  live: LiveVersion | null;
  /** Whether publishing would change what shoppers are served */
  differs_from_live: boolean;
  assistant: AssistantRun | null;
  findings: Finding[];
  /** A quiz document; of a draft it may be incomplete */
  document: Record<string, unknown>;
  /** Sort, key and kind of every key of the quiz's versions: a key never comes to stand for another kind */
  earlier_keys: string[][];
};

export type DraftRun = {
  /** Names the run in each change */
  run_id: string;
  /** Who runs the assistant, as people who wait are told */
  holder: string;
  started_at: string;
  /** Ten minutes after its last sign of life */
  expires_at: string;
};

export type DraftChange = {
  op: "set" | "insert" | "remove" | "move";
  /** Such as /pages/skin/components/feel/question: names of fields, and in a list the entry's key or number */
  path: string;
  /** What is set or inserted */
  value?: unknown | undefined;
  /** Of insert and move: the key or number of the entry that comes next; at the list's end without it */
  before?: string | undefined;
};

export type SavedDraft = {
  quiz_id: string;
  name: string;
  archived: boolean;
  /** The draft's, counted up with each change; also its ETag */
  revision: number;
  /** When the draft was last changed */
  saved_at: string;
  /** Who changed it last; null where nobody knows */
  saved_by: string | null;
  live: LiveVersion | null;
  /** Whether publishing would change what shoppers are served */
  differs_from_live: boolean;
  assistant: AssistantRun | null;
  findings: Finding[];
  /** As it was kept, where that differs from what was sent */
  document: Record<string, unknown> | null;
};

export type DayRange = {
  /** Days of the range */
  days: number;
  /** First day */
  start: string;
  /** Last day, included */
  end: string;
  /** IANA name of the zone whose days these are */
  timezone: string;
};

export type ComparedCount = {
  current: number;
  previous: number;
  /** 100 x (current - previous) / previous; null without any */
  delta_pct: number | null;
  sparkline: number[];
};

export type Money = {
  /** Decimal string with the currency's own number of digits */
  amount: string;
  /** ISO 4217 code */
  currency: string;
};

export type ComparedMoney = {
  current: Money | null;
  previous: Money | null;
  /** 100 x (current - previous) / previous; null without any */
  delta_pct: number | null;
  sparkline: Money[];
};

export type AppliedFilters = {
  channel: string | null;
  device: string | null;
  new_returning: string | null;
  country: string | null;
  region: string | null;
};

export type Freshness = {
  /** Every change committed up to here is counted; null while pending */
  as_of: string | null;
  /** The last whole day before today */
  closed_days_through: string;
  /** From here on a question has the figures counted anew */
  next_refresh_at: string | null;
  /** The store's facts are being loaded for the first time; figures are zero */
  pending: boolean;
  /** An older answer, while a newer one is made */
  stale: boolean;
  /** The range contains today, and today is counted so far */
  today_live: boolean;
};

export type AnalyticsSummary = {
  period: "7d" | "30d";
  previous_range: DayRange;
  /** Sessions that opened a quiz */
  views: ComparedCount;
  /** Sessions that answered their first question */
  starts: ComparedCount;
  /** Sessions that finished */
  completions: ComparedCount;
  /** Sessions that left an email or phone that its checkbox does not deny */
  opt_ins: ComparedCount;
  /** Linked orders */
  orders: ComparedCount;
  /** Of the orders inside the window */
  revenue: ComparedMoney;
  /** What was paid back of those orders so far, on the order's own day */
  refunded: ComparedMoney;
  /** revenue - refunded */
  net_revenue: ComparedMoney;
  range: DayRange;
  /** The filters in force; null: not filtered by it */
  filters: AppliedFilters;
  freshness: Freshness;
};

export type ComparisonRow = {
  quiz_id: string;
  name: string;
  status: "draft" | "published";
  views: number;
  /** Sessions that answered their first question */
  starts: number;
  /** Sessions that finished */
  completions: number;
  /** Sessions that left an email that its checkbox does not deny */
  email_opt_ins: number;
  /** Sessions that left a phone that its checkbox does not deny */
  phone_opt_ins: number;
  /** Linked orders */
  orders: number;
  /** completions / starts; null without any */
  completion_rate: number | null;
  /** The quiz's revenue / the store's whole revenue in the range; null without any */
  attributed_share: number | null;
  /** Mean from first answer to finish, in milliseconds; null without samples */
  avg_time_to_complete_ms: number | null;
  /** Median of the same, in milliseconds; null without samples */
  median_time_to_complete_ms: number | null;
  revenue: Money | null;
  refunded: Money | null;
  net_revenue: Money | null;
};

export type AnalyticsComparison = {
  data: ComparisonRow[];
  /** Quizzes that match */
  total: number;
  has_more: boolean;
  limit: number;
  offset: number;
  sort: "name" | "views" | "starts" | "completion_rate" | "opt_ins" | "orders" | "revenue" | "share";
  dir: "asc" | "desc";
  range: DayRange;
  /** The filters in force; null: not filtered by it */
  filters: AppliedFilters;
  freshness: Freshness;
};

export type PublishMarker = {
  /** Told from imported sessions rather than from a publish */
  approximate: boolean;
  day: string;
  published_at: string;
  version_number: number | null;
};

export type MoneyByBucket = {
  added_from_quiz: Money | null;
  shown_bought_later: Money | null;
  bought_not_shown: Money | null;
};

export type SeriesPoint = {
  day: string;
  /** Sessions that opened the quiz */
  views: number;
  /** Distinct visitors among them; of the whole range in totals, never a sum of days */
  unique_viewers_approx: number;
  /** Sessions that answered their first question */
  starts: number;
  /** Sessions that finished */
  completions: number;
  /** Sessions that left an email that its checkbox does not deny */
  email_opt_ins: number;
  /** Sessions that left a phone that its checkbox does not deny */
  phone_opt_ins: number;
  /** Sessions that left a contact with the box unticked */
  consent_denied: number;
  /** Linked orders, up to 90 days after the session's start */
  orders: number;
  /** Those within the store's order window */
  orders_inside_window: number;
  /** Mean from first answer to finish, in milliseconds; null without samples */
  avg_time_to_complete_ms: number | null;
  /** Median of the same, in milliseconds; null without samples */
  median_time_to_complete_ms: number | null;
  revenue: Money | null;
  refunded: Money | null;
  net_revenue: Money | null;
  revenue_by_bucket: MoneyByBucket | null;
};

export type OverviewTotals = {
  /** Sessions that opened the quiz */
  views: number;
  /** Distinct visitors among them; of the whole range in totals, never a sum of days */
  unique_viewers_approx: number;
  /** Sessions that answered their first question */
  starts: number;
  /** Sessions that finished */
  completions: number;
  /** Sessions that left an email that its checkbox does not deny */
  email_opt_ins: number;
  /** Sessions that left a phone that its checkbox does not deny */
  phone_opt_ins: number;
  /** Sessions that left a contact with the box unticked */
  consent_denied: number;
  /** Linked orders, up to 90 days after the session's start */
  orders: number;
  /** Those within the store's order window */
  orders_inside_window: number;
  /** starts / views; null without any */
  start_rate: number | null;
  /** completions / starts; null without any */
  completion_rate: number | null;
  /** Mean from first answer to finish, in milliseconds; null without samples */
  avg_time_to_complete_ms: number | null;
  /** Median of the same, in milliseconds; null without samples */
  median_time_to_complete_ms: number | null;
  /** Mean from finish to order, of orders within a day of the session's end, in milliseconds; null without samples */
  avg_quiz_to_checkout_ms: number | null;
  /** Median of the same, in milliseconds; null without samples */
  median_quiz_to_checkout_ms: number | null;
  /** Mean from finish to order, of later orders, in milliseconds; null without samples */
  avg_came_back_to_buy_ms: number | null;
  /** Median of the same, in milliseconds; null without samples */
  median_came_back_to_buy_ms: number | null;
  aov: Money | null;
  revenue: Money | null;
  refunded: Money | null;
  net_revenue: Money | null;
  /** Revenue of order lines, by what the quiz had to do with them */
  revenue_by_bucket: MoneyByBucket;
};

export type AnalyticsOverview = {
  /** null: the whole store */
  quiz_id: string | null;
  /** Day of the first session */
  data_start: string | null;
  /** The first publish */
  live_since: string | null;
  /** Told from imported sessions that are older */
  live_since_approximate: boolean;
  /** Publishes inside the range; empty for the whole store */
  markers: PublishMarker[];
  /** Every day of the range, those without data too */
  series: SeriesPoint[];
  totals: OverviewTotals;
  range: DayRange;
  /** The filters in force; null: not filtered by it */
  filters: AppliedFilters;
  freshness: Freshness;
};

export type BreakdownRow = {
  value: string;
  /** Of an outcome: the name of its dimension, else the title of its page; `No result` */
  name?: string | undefined;
  views: number;
  /** Distinct visitors */
  unique_viewers_approx: number;
  /** Sessions that answered their first question */
  starts: number;
  /** Sessions that finished */
  completions: number;
  /** Sessions that left an email that its checkbox does not deny */
  email_opt_ins: number;
  /** Sessions that left a phone that its checkbox does not deny */
  phone_opt_ins: number;
};

export type AnalyticsBreakdown = {
  /** null: the whole store */
  quiz_id: string | null;
  by: "channel" | "device" | "new_returning" | "country" | "region" | "outcome";
  /** Most views first, then by value; no country or region is `unknown`. An outcome is the id of its dimension, else `page:` and the key of its result page, else `none` */
  rows: BreakdownRow[];
  range: DayRange;
  /** The filters in force; null: not filtered by it */
  filters: AppliedFilters;
  freshness: Freshness;
};

export type ProductRow = {
  title: string;
  /** The commerce platform's global id */
  product_id: string;
  /** The quiz that showed it most */
  quiz_name: string;
  had_variants: boolean;
  /** In the catalog, not deleted, and not draft, archived or unpublished */
  in_store: boolean;
  /** Sessions that were shown it */
  times_shown: number;
  units: number;
  /** Distinct orders */
  orders_approx: number;
  /** An exact amount in one currency */
  line_revenue: Money;
  /** What was paid back for its lines so far, on the order's own day */
  refunded: Money;
  /** line_revenue - refunded */
  net_revenue: Money;
  /** Revenue of order lines, by what the quiz had to do with them */
  revenue_by_bucket: MoneyByBucket;
  /** Where it was shown most; nulls when it never was */
  shown_on: {
    block_key: string | null;
    page_key: string | null;
    page_title: string | null;
  };
};

export type AnalyticsProducts = {
  /** null: the whole store */
  quiz_id: string | null;
  /** The bucket that the figures cover; null: all */
  bucket: "added_from_quiz" | "shown_bought_later" | "bought_not_shown" | null;
  sort: "revenue" | "units" | "orders" | "times_shown" | "title";
  /** Before the limit */
  total_products: number;
  /** Orders linked by nothing but an email */
  orders_matched_by_email: number;
  line_revenue: Money | null;
  refunded: Money | null;
  net_revenue: Money | null;
  /** Revenue of order lines, by what the quiz had to do with them */
  totals_by_bucket: MoneyByBucket;
  rows: ProductRow[];
  range: DayRange;
  /** The filters in force; null: not filtered by it */
  filters: AppliedFilters;
  freshness: Freshness;
};

export type AnalyticsQuestion = {
  component_key: string;
  page_key: string;
  question: string;
  page_title: string | null;
  /** Image questions are `choice` */
  kind: "choice" | "number";
};

export type OptionRow = {
  option_id: string;
  label: string;
  kind: "choice" | "image";
  image_url: string | null;
  /** Not in the quiz's present version */
  removed: boolean;
  /** Sessions whose last answer holds it */
  chose: number;
  /** chose / answered; null without any */
  chose_share: number | null;
  /** Sessions that finished */
  completed: number;
  /** Sessions with an order inside the window */
  buyers: number;
  /** Their orders inside the window */
  answer_orders: number;
  /** Sessions that left an email or phone that its checkbox does not deny */
  opted_in: number;
  /** completed / sessions of this row; null without any */
  completion_rate: number | null;
  /** buyers / sessions of this row; null without any */
  buyer_rate: number | null;
  /** opted_in / sessions of this row; null without any */
  opt_in_rate: number | null;
  answer_revenue: Money | null;
};

export type BucketRow = {
  label: string;
  /** Included */
  low: number;
  /** Not included */
  high: number;
  /** Sessions whose last answer falls in it */
  answered: number;
  /** answered / all that answered; null without any */
  answered_share: number | null;
  /** Sessions that finished */
  completed: number;
  /** Sessions with an order inside the window */
  buyers: number;
  /** Their orders inside the window */
  answer_orders: number;
  /** Sessions that left an email or phone that its checkbox does not deny */
  opted_in: number;
  /** completed / sessions of this row; null without any */
  completion_rate: number | null;
  /** buyers / sessions of this row; null without any */
  buyer_rate: number | null;
  /** opted_in / sessions of this row; null without any */
  opt_in_rate: number | null;
  answer_revenue: Money | null;
};

export type NumericSummary = {
  count: number;
  min: number;
  max: number;
  mean: number;
  median: number;
};

export type AnalyticsAnswers = {
  quiz_id: string;
  /** ISO 4217 code of the money below */
  currency: string | null;
  /** Those that can be asked about, in the quiz's order */
  questions: AnalyticsQuestion[];
  question: AnalyticsQuestion | null;
  /** Sessions that answered the question in the range */
  answered: number;
  /** Present options in their order, then removed ones that have counts */
  options: OptionRow[];
  /** Of a number question, at most ten */
  buckets: BucketRow[];
  summary: NumericSummary | null;
  range: DayRange;
  /** The filters in force; null: not filtered by it */
  filters: AppliedFilters;
  freshness: Freshness;
};

export type FunnelPage = {
  title: string;
  page_key: string;
  /** Not in the quiz's present version */
  removed: boolean;
  /** Opened it at least once */
  sessions_reached: number;
  /** First arrived by a jump rule */
  sessions_reached_by_jump: number;
  /** Reached, less dropped, less those still on it */
  sessions_continued: number;
  /** Ended here without completing */
  sessions_dropped: number;
  /** Left it with the skip button */
  sessions_skipped: number;
  /** Left it with the back button */
  sessions_went_back: number;
  /** Mean of the sessions' time on it, in milliseconds; null without samples */
  avg_time_on_page_ms: number | null;
  /** sessions_dropped / starts; null without any */
  dropped_share_of_starts: number | null;
};

export type AnalyticsFunnel = {
  quiz_id: string;
  /** Sessions that opened the quiz inside the range, and the cohort */
  views: number;
  /** views less starts */
  not_started: number;
  /** The cohort: sessions that answered their first question inside the range */
  starts: number;
  /** Of the cohort, whenever they finished */
  completions: number;
  /** Of the cohort, neither completed nor ended */
  in_progress: number;
  pages: FunnelPage[];
  range: DayRange;
  /** The filters in force; null: not filtered by it */
  filters: AppliedFilters;
  freshness: Freshness;
};

export type PageNode = {
  title: string;
  page_key: string;
  /** Not in the quiz's present version */
  removed: boolean;
  /** Arrivals = exits + finished_here + still_here + moves out */
  entries: number;
  entries_by_jump: number;
  /** Closed the quiz here */
  exits_closed: number;
  /** Began anew from here, in a session of its own */
  exits_restarted: number;
  /** Idle for 30 minutes here */
  exits_timed_out: number;
  finished_here: number;
  still_here: number;
  /** Median of the sessions' time on it, in milliseconds; null without samples */
  median_time_on_page_ms?: number | null | undefined;
};

export type PageEdge = {
  from_page_key: string;
  to_page_key: string;
  cause: "next" | "jump" | "skip" | "back" | "restart";
  moves: number;
  /** Sessions that moved so at least once */
  sessions_moved: number;
  /** Of a jump */
  jump_rule_key?: string | undefined;
};

export type PathRule = {
  jump_rule_key: string;
  source_page_key: string;
  /** Moves that it caused */
  fired: number;
  /** Arrivals at its source page */
  source_entries: number;
};

export type VisibilitySkip = {
  title: string;
  page_key: string;
  removed: boolean;
  times_hidden: number;
};

export type AnalyticsPaths = {
  quiz_id: string;
  cohort: "all" | "finished" | "left";
  /** Of the cohort */
  sessions: number;
  /** Day of the quiz's first session */
  data_start: string | null;
  nodes: PageNode[];
  /** The 60 with the most moves */
  edges: PageEdge[];
  other_paths: {
    moves: number;
    /** Edges that are not listed */
    routes: number;
  };
  rules: PathRule[];
  /** Pages that moves passed over because hidden */
  visibility_skips: VisibilitySkip[];
  range: DayRange;
  /** The filters in force; null: not filtered by it */
  filters: AppliedFilters;
  freshness: Freshness;
};

export type TrafficRow = {
  value: string;
  views: number;
  /** Distinct visitors */
  unique_viewers: number;
  /** Sessions that answered their first question */
  starts: number;
  /** Sessions that finished */
  completions: number;
  /** Sessions that left an email that its checkbox does not deny */
  email_opt_ins: number;
  /** Sessions that left a phone that its checkbox does not deny */
  phone_opt_ins: number;
};

export type AnalyticsTraffic = {
  quiz_id: string;
  by:
    | "referrer_host"
    | "utm_source"
    | "utm_medium"
    | "utm_campaign"
    | "utm_content"
    | "utm_term"
    | "page_url"
    | "placement";
  /** Most views first, then by value; no referrer is `direct`, nothing else `none` */
  rows: TrafficRow[];
  /** All sources past the limit together; its value is `other` */
  other: TrafficRow;
  range: DayRange;
  /** The filters in force; null: not filtered by it */
  filters: AppliedFilters;
  freshness: Freshness;
};

export type ProfileSummary = {
  id: string;
  email: string | null;
  /** E.164 */
  phone: string | null;
  first_seen_at: string | null;
  last_seen_at: string | null;
  last_order_at: string | null;
  /** Sessions finished */
  completed_count: number;
  orders_count: number;
  sessions_count: number;
  quizzes: {
    id: string;
    name: string;
  }[];
  removed: boolean;
  /** Came on at least two separate visits */
  returning: boolean;
  /** An exact amount in one currency */
  spent: Money;
};

export type Answer = {
  component_key: string;
  page_key: string;
  question: string;
  page_title: string | null;
  kind: "choice" | "image" | "text" | "email" | "phone" | "number" | "date" | "other";
  /** As stored: option ids, a string, a number or {date, time} */
  value: unknown;
  /** What a person reads */
  values: string[];
  /** What was written beside the option with a text field; of choice and image questions */
  other_text?: string | undefined;
  /** For an image choice one entry per label in values, else empty */
  image_urls: (string | null)[];
  /** The question is not in the quiz's present version */
  removed: boolean;
};

export type PointsEntry = {
  dimension_id: string;
  name: string;
  total: number;
};

export type ShownProduct = {
  title: string | null;
  block_key: string;
  product_id: string;
  currency: string | null;
  handle: string | null;
  image: string | null;
  variant_id: string | null;
  variant_title: string | null;
  price: number | null;
};

export type Outcome = {
  page_key: string;
  /** The dimension whose result the page shows */
  dimension_id: string | null;
  /** The dimension's, else the page's title */
  name: string;
};

export type ResultPage = {
  title: string | null;
  page_key: string;
  position: number | null;
  page_count: number | null;
  shown_products: ShownProduct[];
  outcome: Outcome | null;
};

export type LatestResult = {
  quiz_id: string;
  quiz_name: string;
  session_id: string;
  started_at: string;
  completed_at: string;
  version_number: number | null;
  answers: Answer[];
  formulas: {
    component_key: string;
    page_key: string;
    label: string;
    value: number;
  }[];
  points: PointsEntry[];
  points_total: number | null;
  winner: PointsEntry | null;
  result_page: ResultPage | null;
  outcome: Outcome | null;
};

export type ProfileOrder = {
  order_id: string;
  order_name: string | null;
  /** An exact amount in one currency */
  amount: Money;
  created_at: string;
  matched_tier: string;
  quiz_id: string | null;
  quiz_name: string | null;
  session_id: string | null;
};

export type ProfileSession = {
  session_id: string;
  quiz_id: string;
  quiz_name: string;
  /** The first answer; before one, the opening */
  started_at: string;
  channel: string;
  device_class: string;
  status: "completed" | "in_progress" | "left";
  completed_at: string | null;
  ended_at: string | null;
  country: string | null;
  last_page_key: string | null;
  last_page_title: string | null;
  last_page_position: number | null;
  page_count: number | null;
  version_number: number | null;
  /** Distinct pages */
  pages_visited: number;
  returning: boolean | null;
  order: {
    order_id: string;
    order_name: string | null;
    /** An exact amount in one currency */
    amount: Money;
    created_at: string;
    matched_tier: string;
    /** Whole minutes */
    minutes_after: number | null;
  };
};

export type Profile = {
  id: string;
  first_seen_at: string | null;
  last_seen_at: string;
  last_order_at: string | null;
  completed_count: number;
  orders_count: number;
  quizzes_taken_count: number;
  sessions_count: number;
  removed: boolean;
  removed_at: string | null;
  returning: boolean | null;
  /** Visits after the first */
  returning_count: number | null;
  spent: Money | null;
  identities: {
    kind: "email" | "phone";
    value: string;
    /** The checkbox beside the newest answered field of this kind; null without one */
    consent: boolean | null;
    first_seen_at: string | null;
    last_seen_at: string | null;
  }[];
  /** The newest finished take of each quiz */
  latest_results: LatestResult[];
  orders: ProfileOrder[];
  sessions: ProfileSession[];
  /** Whether there are older sessions or orders than the 1,000 newest of each that are listed */
  truncated: boolean;
};

export type SearchTerm = {
  /** A quiz of the store, deleted ones included */
  quiz_id: string;
  /** What the term asks about */
  kind: "choice" | "number" | "date" | "text" | "email" | "phone" | "points" | "formula" | "winner" | "session";
  /** Which operators a kind takes is said under `SearchTerm` */
  op:
    | "in"
    | "not_in"
    | "eq"
    | "lt"
    | "gt"
    | "between"
    | "before"
    | "after"
    | "contains"
    | "equals"
    | "matches"
    | "answered"
    | "not_answered";
  /** With component_key: the question or formula. Of `session`: the page that was entered last */
  page_key?: string | undefined;
  /** The question or formula */
  component_key?: string | undefined;
  /** Of `points` */
  dimension_id?: string | undefined;
  /** Of `choice`: options. Of `winner`: dimensions */
  option_ids?: string[] | undefined;
  /** Of `choice`: options by what they are called, in any version; united with option_ids */
  option_labels?: string[] | undefined;
  /** Lower end of `between`, included: a number, or a day of `date` */
  min?: number | string | undefined;
  /** Upper end of `between`, included */
  max?: number | string | undefined;
  /** A number; of `text` a text; of `date` a day; of `session` completed or abandoned */
  value?: number | string | undefined;
  /** Of `session`, instead of value: the result of its finish, as figures by outcome have it: a dimension's id, or `page:` and the key of a result page without one */
  outcome?: string | undefined;
};

export type SearchSlot = {
  /** A quiz of the store, deleted ones included */
  quiz_id?: string | undefined;
  /** What the term asks about */
  kind?:
    | "choice"
    | "number"
    | "date"
    | "text"
    | "email"
    | "phone"
    | "points"
    | "formula"
    | "winner"
    | "session"
    | undefined;
  /** Which operators a kind takes is said under `SearchTerm` */
  op?:
    | "in"
    | "not_in"
    | "eq"
    | "lt"
    | "gt"
    | "between"
    | "before"
    | "after"
    | "contains"
    | "equals"
    | "matches"
    | "answered"
    | "not_answered"
    | undefined;
  /** With component_key: the question or formula. Of `session`: the page that was entered last */
  page_key?: string | undefined;
  /** The question or formula */
  component_key?: string | undefined;
  /** Of `points` */
  dimension_id?: string | undefined;
  /** Of `choice`: options. Of `winner`: dimensions */
  option_ids?: string[] | undefined;
  /** Of `choice`: options by what they are called, in any version; united with option_ids */
  option_labels?: string[] | undefined;
  /** Lower end of `between`, included: a number, or a day of `date` */
  min?: number | string | undefined;
  /** Upper end of `between`, included */
  max?: number | string | undefined;
  /** A number; of `text` a text; of `date` a day; of `session` completed or abandoned */
  value?: number | string | undefined;
  /** Of `session`, instead of value: the result of its finish, as figures by outcome have it: a dimension's id, or `page:` and the key of a result page without one */
  outcome?: string | undefined;
  /** Instead of a term's own fields: at least one of these terms holds */
  any?: SearchTerm[] | undefined;
};

export type SearchGroup = {
  /** Every slot holds */
  all: SearchSlot[];
};

export type ProfileSearch = {
  /** First day on which the person started a session, in UTC */
  from?: string | undefined;
  /** Last such day, in UTC */
  to?: string | undefined;
  /** The quiz of that session; does not restrict the terms */
  quiz_id?: string | undefined;
  /** Has left an email */
  has_email?: boolean | undefined;
  /** Has left a phone number */
  has_phone?: boolean | undefined;
  /** Has an order */
  has_order?: boolean | undefined;
  /** Has a contact with consent */
  has_marketing_consent?: boolean | undefined;
  /** Came on at least two separate visits */
  is_returning?: boolean | undefined;
  /** any_session (default): each term may hold in another session of its quiz. latest_completed_per_quiz: only the newest finished take of each quiz counts */
  match?: "any_session" | "latest_completed_per_quiz" | undefined;
  /** At least one group holds; none given: no restriction */
  groups?: SearchGroup[] | undefined;
};

export type SearchExplanation = {
  /** People who meet the filters beside the groups; everybody where there are none */
  filters: number;
  /** In the order of the body's groups */
  groups: {
    /** Of those, who meet this group, whatever the other groups ask */
    people: number;
    /** In the order of the group's slots */
    all: {
      /** Of those, who meet this slot, whatever the other slots ask */
      people: number;
    }[];
  }[];
};

export type ExportSummary = {
  id: string;
  dataset: "profiles" | "responses" | "quiz_analytics";
  format: "csv" | "json" | "ndjson" | "xlsx" | "parquet";
  /** null for other formats than csv */
  csv_style: "spreadsheet" | "plain" | null;
  /** null for formats without columns */
  headers: "keys" | "texts" | null;
  status: "pending" | "running" | "completed" | "failed" | "expired";
  source: "api" | "dashboard";
  /** As requested; null where nothing was given */
  filters: {
    from: string | null;
    to: string | null;
    quiz_id: string | null;
    search: ProfileSearch | null;
    tz: string | null;
  };
  requested_at: string;
  /** The file holds what was true at this moment */
  started_at: string | null;
  completed_at: string | null;
  /** The file goes then: seven days after its completion */
  expires_at: string;
  row_count: number | null;
  bytes: number | null;
  /** Why it failed */
  error: string | null;
  /** Absolute addresses */
  urls: Record<string, string>;
};

export type Export = {
  id: string;
  dataset: "profiles" | "responses" | "quiz_analytics";
  format: "csv" | "json" | "ndjson" | "xlsx" | "parquet";
  /** null for other formats than csv */
  csv_style: "spreadsheet" | "plain" | null;
  /** null for formats without columns */
  headers: "keys" | "texts" | null;
  status: "pending" | "running" | "completed" | "failed" | "expired";
  source: "api" | "dashboard";
  /** As requested; null where nothing was given */
  filters: {
    from: string | null;
    to: string | null;
    quiz_id: string | null;
    search: ProfileSearch | null;
    tz: string | null;
  };
  requested_at: string;
  /** The file holds what was true at this moment */
  started_at: string | null;
  completed_at: string | null;
  /** The file goes then: seven days after its completion */
  expires_at: string;
  row_count: number | null;
  bytes: number | null;
  /** Why it failed */
  error: string | null;
  /** Absolute addresses */
  urls: Record<string, string>;
  /** Only once completed; a new one with every read, needs no key */
  download_url?: string | undefined;
  /** One hour after the read, never after expires_at */
  download_url_expires_at?: string | undefined;
};

export type Event = {
  id: string;
  type:
    | "quiz.started"
    | "quiz.finished"
    | "quiz.abandoned"
    | "identity.captured"
    | "profile.created"
    | "profile.updated"
    | "quiz.published"
    | "export.completed"
    | "webhook.endpoint.disabled";
  /** When the event happened */
  created: string;
  api_version: "v1";
  /** Empty while the event waits, and where no endpoint is subscribed */
  deliveries: {
    id: string;
    endpoint_id: string;
    status: "pending" | "retrying" | "delivering" | "delivered" | "dead";
  }[];
  /** Only with include=payload */
  data?:
    | {
        /** Of the topic; see the guide to webhooks */
        object: unknown;
      }
    | undefined;
};

export type FullEvent = {
  id: string;
  type:
    | "quiz.started"
    | "quiz.finished"
    | "quiz.abandoned"
    | "identity.captured"
    | "profile.created"
    | "profile.updated"
    | "quiz.published"
    | "export.completed"
    | "webhook.endpoint.disabled";
  /** When the event happened */
  created: string;
  api_version: "v1";
  /** Empty while the event waits, and where no endpoint is subscribed */
  deliveries: {
    id: string;
    endpoint_id: string;
    status: "pending" | "retrying" | "delivering" | "delivered" | "dead";
  }[];
  /** As an endpoint is sent it, contacts only with include_pii=true; null where what the event was about is gone */
  data: {
    /** Of the topic; see the guide to webhooks */
    object: unknown;
  };
};

export type WebhookEndpoint = {
  id: string;
  /** Public https address that events are sent to */
  url: string;
  /** Subscribed topics */
  topics: (
    | "quiz.started"
    | "quiz.finished"
    | "quiz.abandoned"
    | "identity.captured"
    | "profile.created"
    | "profile.updated"
    | "quiz.published"
    | "export.completed"
    | "webhook.endpoint.disabled"
  )[];
  /** Whether payloads hold contacts; false without a choice */
  include_pii: boolean;
  /** Sends events of these quizzes only, and those of no quiz; null: of every quiz */
  quiz_ids: string[] | null;
  description: string | null;
  /** disabled: nothing is sent */
  status: "enabled" | "disabled";
  /** failing: five days of failures; gone: the receiver answered 410; manual: through the API */
  disabled_reason: "failing" | "gone" | "manual" | null;
  disabled_at: string | null;
  /** First failure since the last success */
  failing_since: string | null;
  /** Until then deliveries carry a signature of the previous secret too */
  previous_secret_expires_at: string | null;
  created_at: string;
  /** Moves with every change of the configuration or the status */
  updated_at: string;
};

export type CreatedWebhookEndpoint = {
  id: string;
  /** Public https address that events are sent to */
  url: string;
  /** Subscribed topics */
  topics: (
    | "quiz.started"
    | "quiz.finished"
    | "quiz.abandoned"
    | "identity.captured"
    | "profile.created"
    | "profile.updated"
    | "quiz.published"
    | "export.completed"
    | "webhook.endpoint.disabled"
  )[];
  /** Whether payloads hold contacts; false without a choice */
  include_pii: boolean;
  /** Sends events of these quizzes only, and those of no quiz; null: of every quiz */
  quiz_ids: string[] | null;
  description: string | null;
  /** disabled: nothing is sent */
  status: "enabled" | "disabled";
  /** failing: five days of failures; gone: the receiver answered 410; manual: through the API */
  disabled_reason: "failing" | "gone" | "manual" | null;
  disabled_at: string | null;
  /** First failure since the last success */
  failing_since: string | null;
  /** Until then deliveries carry a signature of the previous secret too */
  previous_secret_expires_at: string | null;
  created_at: string;
  /** Moves with every change of the configuration or the status */
  updated_at: string;
  /** At creation only, never for a personal token; see reveal-secret */
  secret?: string | undefined;
};

export type EventEnvelope = {
  id: string;
  /** The topic */
  type: string;
  created: string;
  api_version: string;
  data: {
    /** What the topic is about; see the guide to webhooks */
    object: unknown;
  };
};

export type Delivery = {
  id: string;
  endpoint_id: string;
  /** The webhook-id header of every attempt; receivers deduplicate on it */
  event_id: string;
  topic:
    | "quiz.started"
    | "quiz.finished"
    | "quiz.abandoned"
    | "identity.captured"
    | "profile.created"
    | "profile.updated"
    | "quiz.published"
    | "export.completed"
    | "webhook.endpoint.disabled"
    | "ping";
  status: "pending" | "retrying" | "delivering" | "delivered" | "dead";
  /** Attempts begun since it was queued or queued again */
  attempts: number;
  created_at: string;
  /** Of the last attempt where none is due any more */
  next_attempt_at: string;
  delivered_at: string | null;
  last_status_code: number | null;
  /** The beginning of the receiver's last answer */
  last_response: string | null;
  /** Why the last attempt failed, or why there will be none */
  last_error: string | null;
  payload: EventEnvelope | null;
};

export type Redelivery = {
  /** Deliveries that are sent again */
  queued: number;
};

export type WebhookSecret = {
  /** whsec_ and the base64 of 32 bytes: the signing secret */
  secret: string;
};

export type RotatedWebhookSecret = {
  /** whsec_ and the base64 of 32 bytes: the signing secret */
  secret: string;
  /** Until then deliveries carry both signatures */
  previous_secret_expires_at: string;
};

export type TestClock = {
  /** What the test twin's clock shows */
  now: string;
  /** How far it was moved ahead of everybody's */
  ahead_seconds: number;
  store_id: string;
  /** Of the test twin: what a page with one of its quizzes names */
  publishable_key: string;
  /** By which the commerce platform's messages name the test twin */
  shop_domain: string;
};

export type EventDevice = {
  class: "desktop" | "mobile" | "tablet" | "other";
  family: string | null;
  vendor: string | null;
  model: string | null;
  browser: string | null;
  browser_version: string | null;
  os: string | null;
  os_version: string | null;
};

export type QuizStarted = {
  id: string;
  quiz_id: string;
  /** Of a deleted quiz too; null when its record is gone */
  quiz_name: string | null;
  /** The version that was taken; null when it is gone */
  version_id: string | null;
  version_number: number | null;
  visitor_id: string;
  channel: string;
  /** ISO 3166-1 alpha-2 */
  country: string | null;
  /** Origin and path, without the query string */
  page_url: string | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_content: string | null;
  utm_term: string | null;
  /** The first answer */
  started_at: string;
  /** Unknown parts are null */
  device: EventDevice;
  placement: string | null;
  region: string | null;
};

export type EventAnswer = {
  page_key: string;
  kind: "choice" | "image" | "text" | "email" | "phone" | "number" | "date" | "other";
  /** Of choice and image questions alone */
  option_ids?: string[] | undefined;
  /** What was written beside the option with a text field; of choice and image questions */
  other_text?: string | undefined;
  /** As stored: option ids, a string, a number or {date, time} */
  value: unknown;
  /** What a person reads */
  values: string[];
  /** The question */
  label: string;
};

export type SessionIdentity = {
  kind: "email" | "phone";
  /** An email in lower case, a phone in E.164 */
  value: string;
  /** The checkbox beside the field: false when it was left unticked, null without one */
  consent: boolean | null;
  page_key: string;
  component_key: string;
};

export type EventProduct = {
  title: string | null;
  block_key: string;
  product_id: string;
  currency: string | null;
  handle: string | null;
  image: string | null;
  variant_id: string | null;
  variant_title: string | null;
  price: number | null;
  page_key: string;
  /** Place within its block, as the browser reported it */
  position: number | null;
  /** How it was picked: fixed, winner, answers, rules or fallback */
  source: string | null;
};

export type EventPropertyMapping = {
  question_key: string;
  question_label: string;
  property_name: string;
  /** What the mapping makes of the chosen options, else their labels; any other answer as one string */
  option_values: string[];
};

export type QuizFinished = {
  id: string;
  quiz_id: string;
  /** Of a deleted quiz too; null when its record is gone */
  quiz_name: string | null;
  /** The version that was taken; null when it is gone */
  version_id: string | null;
  version_number: number | null;
  visitor_id: string;
  channel: string;
  /** ISO 3166-1 alpha-2 */
  country: string | null;
  /** Origin and path, without the query string */
  page_url: string | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_content: string | null;
  utm_term: string | null;
  /** The first answer */
  started_at: string;
  /** Unknown parts are null */
  device: EventDevice;
  ended_at: string | null;
  /** The answers in force, by component_key; without those to email and phone fields unless include_pii */
  answers: Record<string, EventAnswer>;
  last_page: {
    title: string | null;
    page_key: string;
    /** From 1 */
    position: number | null;
  };
  /** Questions with an answer in force, contact fields included */
  answered_count: number;
  /** Contacts in force in the session; only with include_pii */
  identities?: SessionIdentity[] | undefined;
  completed_at: string;
  /** Those that have a value */
  formulas: {
    page_key: string;
    component_key: string;
    label: string;
    value: number;
  }[];
  /** Every dimension of the quiz */
  points: PointsEntry[];
  /** Null without dimensions */
  points_total: number | null;
  terminal_page: ResultPage | null;
  outcome: Outcome | null;
  products_shown: EventProduct[];
  /** Of answered questions */
  property_mappings: EventPropertyMapping[];
};

export type QuizAbandoned = {
  id: string;
  quiz_id: string;
  /** Of a deleted quiz too; null when its record is gone */
  quiz_name: string | null;
  /** The version that was taken; null when it is gone */
  version_id: string | null;
  version_number: number | null;
  visitor_id: string;
  channel: string;
  /** ISO 3166-1 alpha-2 */
  country: string | null;
  /** Origin and path, without the query string */
  page_url: string | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_content: string | null;
  utm_term: string | null;
  /** The first answer */
  started_at: string;
  /** Unknown parts are null */
  device: EventDevice;
  ended_at: string | null;
  /** The answers in force, by component_key; without those to email and phone fields unless include_pii */
  answers: Record<string, EventAnswer>;
  last_page: {
    title: string | null;
    page_key: string;
    /** From 1 */
    position: number | null;
  };
  /** Questions with an answer in force, contact fields included */
  answered_count: number;
  /** Contacts in force in the session; only with include_pii */
  identities?: SessionIdentity[] | undefined;
};

export type IdentityCaptured = {
  id: string;
  quiz_id: string;
  /** Of a deleted quiz too; null when its record is gone */
  quiz_name: string | null;
  /** The version that was taken; null when it is gone */
  version_id: string | null;
  version_number: number | null;
  visitor_id: string;
  channel: string;
  /** ISO 3166-1 alpha-2 */
  country: string | null;
  /** Origin and path, without the query string */
  page_url: string | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_content: string | null;
  utm_term: string | null;
  /** The first answer */
  started_at: string;
  /** Unknown parts are null */
  device: EventDevice;
  ended_at: string | null;
  /** The answers in force, by component_key; without those to email and phone fields unless include_pii */
  answers: Record<string, EventAnswer>;
  last_page: {
    title: string | null;
    page_key: string;
    /** From 1 */
    position: number | null;
  };
  /** Questions with an answer in force, contact fields included */
  answered_count: number;
  /** The captured one is among them */
  identities: SessionIdentity[];
  completed_at: string | null;
  /** Those that have a value */
  formulas: {
    page_key: string;
    component_key: string;
    label: string;
    value: number;
  }[];
  /** Every dimension of the quiz */
  points: PointsEntry[];
  /** Null without dimensions */
  points_total: number | null;
  terminal_page: ResultPage | null;
  outcome: Outcome | null;
  products_shown: EventProduct[];
  /** Of answered questions */
  property_mappings: EventPropertyMapping[];
  identity: SessionIdentity;
};

export type ProfileEvent = {
  id: string;
  created_at: string;
  first_seen_at: string | null;
  last_seen_at: string;
  /** The session that left the contact */
  session_id: string | null;
  quiz_id: string | null;
  identities_from_session: ("email" | "phone")[];
  /** Absolute addresses */
  urls: Record<string, string>;
  /** Only with include_pii */
  identities?:
    | {
        kind: "email" | "phone";
        value: string;
        first_seen_at: string | null;
        last_seen_at: string | null;
        /** The checkbox beside the field: false when it was left unticked, null without one */
        consent: boolean | null;
      }[]
    | undefined;
};

export type QuizPublished = {
  quiz_id: string;
  quiz_name: string;
  version_id: string;
  version_number: number;
  published_at: string;
};

export type ExportCompleted = {
  id: string;
  dataset: "profiles" | "responses" | "quiz_analytics";
  format: "csv" | "json" | "ndjson" | "xlsx" | "parquet";
  /** null for other formats than csv */
  csv_style: "spreadsheet" | "plain" | null;
  /** null for formats without columns */
  headers: "keys" | "texts" | null;
  status: "pending" | "running" | "completed" | "failed" | "expired";
  source: "api" | "dashboard";
  /** As requested; null where nothing was given */
  filters: {
    from: string | null;
    to: string | null;
    quiz_id: string | null;
    search: ProfileSearch | null;
    tz: string | null;
  };
  requested_at: string;
  /** The file holds what was true at this moment */
  started_at: string | null;
  completed_at: string | null;
  /** The file goes then: seven days after its completion */
  expires_at: string;
  row_count: number | null;
  bytes: number | null;
  /** Why it failed */
  error: string | null;
  /** Absolute addresses */
  urls: Record<string, string>;
  /** Always null here: read the export for a link */
  download_url: null;
  download_url_expires_at: null;
};

export type EndpointDisabled = {
  endpoint_id: string;
  url: string;
  /** failing: five days of failures; gone: the receiver answered 410 */
  reason: "failing" | "gone";
  failing_since: string | null;
  disabled_at: string;
};

export type Ping = {
  endpoint_id: string;
};

/** What a refusal's `title` can be */
export type ProblemTitle =
  | "ai_run_in_progress"
  | "conflict"
  | "dependency_unavailable"
  | "endpoint_limit"
  | "insufficient_scope"
  | "internal_error"
  | "invalid_api_key"
  | "limiter_unavailable"
  | "not_found"
  | "plan_required"
  | "rate_limited"
  | "test_key_required"
  | "timeout"
  | "validation_error"
  | "webhook_conflict"
  | "webhook_pii_required"
  | "webhook_url_unsafe";

/** What a webhook brings; `type` tells which. Later servers may send topics beyond these. */
export type WebhookEvent =
  /** quiz.started: The first answer of a session */
  | {
      /** The same on every attempt and redelivery */
      id: string;
      type: "quiz.started";
      /** When the event happened */
      created: string;
      api_version: "v1";
      data: {
        object: QuizStarted;
      };
    }
  /** quiz.finished: A minute after a session reached its end */
  | {
      /** The same on every attempt and redelivery */
      id: string;
      type: "quiz.finished";
      /** When the event happened */
      created: string;
      api_version: "v1";
      data: {
        object: QuizFinished;
      };
    }
  /** quiz.abandoned: 30 minutes without an event in a session that has an answer */
  | {
      /** The same on every attempt and redelivery */
      id: string;
      type: "quiz.abandoned";
      /** When the event happened */
      created: string;
      api_version: "v1";
      data: {
        object: QuizAbandoned;
      };
    }
  /** identity.captured: An email or phone was left; only to endpoints with include_pii */
  | {
      /** The same on every attempt and redelivery */
      id: string;
      type: "identity.captured";
      /** When the event happened */
      created: string;
      api_version: "v1";
      data: {
        /** The session up to the answer that left the contact */
        object: IdentityCaptured;
      };
    }
  /** profile.created: A contact made a new person */
  | {
      /** The same on every attempt and redelivery */
      id: string;
      type: "profile.created";
      /** When the event happened */
      created: string;
      api_version: "v1";
      data: {
        object: ProfileEvent;
      };
    }
  /** profile.updated: A person's set of contacts changed */
  | {
      /** The same on every attempt and redelivery */
      id: string;
      type: "profile.updated";
      /** When the event happened */
      created: string;
      api_version: "v1";
      data: {
        object: ProfileEvent;
      };
    }
  /** quiz.published: A version went live */
  | {
      /** The same on every attempt and redelivery */
      id: string;
      type: "quiz.published";
      /** When the event happened */
      created: string;
      api_version: "v1";
      data: {
        object: QuizPublished;
      };
    }
  /** export.completed: An export is ready; read it for its link */
  | {
      /** The same on every attempt and redelivery */
      id: string;
      type: "export.completed";
      /** When the event happened */
      created: string;
      api_version: "v1";
      data: {
        object: ExportCompleted;
      };
    }
  /** webhook.endpoint.disabled: Another endpoint was disabled by the service */
  | {
      /** The same on every attempt and redelivery */
      id: string;
      type: "webhook.endpoint.disabled";
      /** When the event happened */
      created: string;
      api_version: "v1";
      data: {
        object: EndpointDisabled;
      };
    }
  /** ping: You asked for it */
  | {
      /** The same on every attempt and redelivery */
      id: string;
      type: "ping";
      /** When the event happened */
      created: string;
      api_version: "v1";
      data: {
        object: Ping;
      };
    };
