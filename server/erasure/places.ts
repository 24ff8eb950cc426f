/**
 * Every place that may hold a contact, and what an erasure and a verification do there [erasure.places]. A test
 * compares it with the migrated database: a new column of text needs its line here.
 */

/**
 * How a verification looks into a column: as `text`, at each text of its `json`, or at a `sealed` text once decrypted;
 * or why it does not.
 */
type Look = "text" | "json" | "sealed" | { skipped: string };

interface ColumnLine {
  /** what an erasure does, or why no contact of a shopper is in the column */
  erasure: string;
  verify: Look;
}

const line = (erasure: string, verify: Look = "text"): ColumnLine => ({ erasure, verify });
const json = (erasure: string): ColumnLine => line(erasure, "json");
const hashed = line("keyed or cryptographic hashes, of which nothing can be read", { skipped: "hashed" });
const encrypted = line("a secret of the shop, encrypted", { skipped: "encrypted" });
/** Names of states, kinds and keys that the program chose. */
const word = line("a word of the program");
const id = line("an id or key of the shop's or the commerce platform's");
const ofShop = line("written by the shop's staff");
const ofShopJson = json("written by the shop's staff");
const ofStaff = line("accounts of the shop's staff", { skipped: "accounts of the shop's staff" });
/** In every session of the store, not only in the person's. */
const cleared = line("cleared in every session in which it holds a contact");
const removed = line("rows with an erased contact are deleted");

export const columnLines: Readonly<Record<string, Readonly<Record<string, ColumnLine>>>> = {
  api_keys: { hash: hashed, name: ofShop, head: id, last_four: id, scopes: word, admin: ofStaff },
  audit_log: {
    actor_kind: word,
    actor: ofStaff,
    role: word,
    address: ofStaff,
    action: word,
    target: line("ids, and addresses of the shop's staff"),
    details: json("names of the shop's things, and settings"),
  },
  captures: { component_key: id, page_key: id, kind: word, value: removed, shown: removed },
  changes: { kind: word },
  commerce_deliveries: { webhook_id: id, topic: word },
  commerce_requests: {
    topic: word,
    subject: json("loses erased contacts, and those that only an order tied to the person"),
  },
  erasures: {
    scope: word,
    order_ids: id,
    hashes: line("keyed hashes, of which nothing can be read"),
    erased_by: ofStaff,
  },
  exports: {
    dataset: word,
    format: word,
    csv_style: word,
    headers: word,
    status: word,
    source: word,
    filters: json("loses contacts that were searched for; an export that is not built yet fails"),
    digest: hashed,
    error: word,
  },
  idempotency_keys: {
    key: line("chosen by the shop's programs; kept for a day"),
    fingerprint: hashed,
    answer: line("loses erased contacts; kept for a day", "sealed"),
  },
  identities: { kind: word, value: removed, shown: removed },
  memberships: { role: word },
  schema_migrations: { name: word, checksum: hashed },
  order_keys: { tier: word, value: line("contacts of the person's orders, and erased ones, are deleted") },
  order_lines: {
    product_id: id,
    variant_id: id,
    title: line("replaced in every order in which it holds a contact"),
    bucket: word,
    line_id: id,
    bundle_key: id,
    bundle_product_id: id,
    counted_as: id,
  },
  order_refunds: { refund_id: id, line_id: id },
  collections: { collection_id: id, handle: ofShop, title: ofShop },
  collection_products: { collection_id: id, product_id: id },
  commerce_deletions: { gid: id },
  inventory_items: { inventory_item_id: id },
  orders: { gid: id, name: id, currency: word, matched_tier: word, profile_tier: word },
  outbox: {
    topic: word,
    data: json("about the person: reduced to the fact; about others: loses the contact; exports: as in `exports`"),
  },
  person_merges: { confirmed_by: word },
  personal_tokens: { token_hash: hashed, name: ofStaff, head: ofStaff, last_four: ofStaff },
  product_variants: { product_id: id, variant_id: id, title: ofShop, inventory_item_id: id, options: ofShopJson },
  products: {
    product_id: id,
    handle: ofShop,
    title: ofShop,
    image: ofShop,
    status: word,
    tags: ofShop,
    vendor: ofShop,
    product_type: ofShop,
    options: ofShopJson,
  },
  publish_approvals: { requested_by: ofStaff, outcome: word },
  quiz_history: { action: word, admin: ofStaff, source: word },
  quiz_versions: { label: ofShop, document: ofShopJson, earlier_outline: ofShopJson, earlier_keys: ofShopJson },
  quizzes: { name: ofShop, draft: ofShopJson, draft_saved_by: ofStaff, ai_run_holder: ofStaff },
  session_events: {
    type: word,
    data: json(
      "every text, email and phone of the person's sessions, also beside options; single answers of others with the contact",
    ),
  },
  sessions: {
    channel: cleared,
    placement: cleared,
    page_url: cleared,
    referrer_host: cleared,
    utm_source: cleared,
    utm_medium: cleared,
    utm_campaign: cleared,
    utm_content: cleared,
    utm_term: cleared,
    device_class: word,
    device: json("fields that hold a contact are cleared in every session"),
    country: word,
    region: cleared,
    locale: cleared,
    time_zone: line("an IANA name"),
    status: word,
    state: json("loses the same answers as `session_events`"),
    facts: line("made from `state`"),
    texts: line("made from `state`"),
    emitted: word,
  },
  stores: {
    name: ofShop,
    shop_domain: ofShop,
    plan: word,
    currency: word,
    timezone: word,
    commerce_secret: encrypted,
    limits: ofShopJson,
  },
  user_identities: { issuer: ofStaff, subject: ofStaff },
  user_links: { token_hash: hashed, kind: ofStaff, email: ofStaff, role: ofStaff },
  user_sessions: { token_hash: hashed, previous_hash: hashed, user_agent: ofStaff, address: ofStaff },
  users: { email: ofStaff, name: ofStaff, password: ofStaff, totp_seed: ofStaff, recovery_codes: hashed },
  webhook_deliveries: {
    topic: word,
    status: word,
    last_response: line("cleared where the delivery is about the person, or holds the contact"),
    last_error: word,
    payload: json("about the person: loses contacts and free text; about others: loses the contact"),
    tries: json("times and status codes"),
  },
  webhook_endpoints: {
    url: ofShop,
    topics: word,
    description: ofShop,
    status: word,
    disabled_reason: word,
    secret: encrypted,
    previous_secret: encrypted,
  },
};

interface OtherPlace {
  place: string;
  erasure: string;
  /** why a verification does not look there, if it does not */
  skipped?: string;
}

/** Whatever keeps data outside of columns. */
export const otherPlaces: readonly OtherPlace[] = [
  { place: "columnar copies", erasure: "deleted, since a file keeps deleted rows in its free blocks" },
  { place: "files of exports", erasure: "those of people and responses expire; the sweep deletes them" },
  { place: "other files of the data directory", erasure: "ledger and logs hold no contact" },
  {
    place: "export files in a bucket",
    erasure: "those of people and responses expire; the sweep deletes them",
    skipped: "the list of exports says which are left",
  },
  {
    place: "cached figures",
    erasure: "named by the store's last erasure: none from before it is shown",
    skipped: "gone after an hour",
  },
  {
    place: "limits and permits in Redis",
    erasure: "named by ids and hashes of addresses",
    skipped: "gone after a minute",
  },
];

/** Columns, or fields of one (`device.model`), with what a shopper's browser said when it opened a session. */
export const clearedOpenings: readonly string[] = [
  ...Object.entries(columnLines["sessions"] ?? {}).flatMap(([column, each]) => (each === cleared ? column : [])),
  ...["family", "vendor", "model", "browser", "browser_version", "os", "os_version"].map((field) => `device.${field}`),
];

export const lookInto = (table: string, column: string): Look | undefined => columnLines[table]?.[column]?.verify;
