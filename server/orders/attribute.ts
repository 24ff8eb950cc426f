/**
 * Decides which session and which person an order comes from [orders.tiers, orders.window, orders.holder], given
 * candidates that were read before.
 *
 * An order belongs to the newest session of the first tier that has one. A session counts if it was started (its first
 * answer) before the order, at most 90 days before it, and is not a preview. Emails and phones lead to the sessions of
 * the person who holds them. The order belongs to the session's person. Without a session, or if the session has no
 * person, it belongs to the person who holds its email, or else its phone. A subscription's renewal has that person
 * too, but no session by a contact.
 */

export const tiers = ["line_item", "cart", "visitor", "email", "phone"] as const;
export type Tier = (typeof tiers)[number];
export type ContactTier = Extract<Tier, "email" | "phone">;

export interface OrderKey {
  tier: Tier;
  /** UUID of a session (line_item, cart) or visitor, or a normalized email or phone */
  value: string;
}

export interface OrderToAttribute {
  /** ms */
  createdAt: number;
  /** within a tier, people are looked up in this order */
  keys: readonly OrderKey[];
  /** a subscription renews itself, so that its buyer's contacts lead to no session [orders.renewals] */
  renewal?: boolean;
}

export interface CandidateSession {
  id: string;
  visitorId: string;
  profileId: string | null;
  /** ms; null if no question was answered */
  startedAt: number | null;
  preview: boolean;
}

export interface Candidates {
  sessions: readonly CandidateSession[];
  /** returns the person who holds a contact */
  holder(tier: ContactTier, value: string): string | undefined;
}

export interface Attribution {
  /** the tier of the session, or, without a session, of the person */
  tier: Tier | null;
  sessionId: string | null;
  profileId: string | null;
  /** the tier through which the person was found */
  profileTier: Tier | null;
}

const second = 1000;
export const windowMs = 90 * 24 * 60 * 60 * 1000;

/**
 * The earliest and latest moment (ms) at which a session may have started to count for an order of that time. The
 * platform's times are whole seconds, so a session that started in the same second counts as earlier.
 */
export const startsFor = (createdAt: number): { first: number; last: number } => ({
  first: createdAt - windowMs,
  last: Math.floor(createdAt / second) * second + second - 1,
});

export function attribute(order: OrderToAttribute, candidates: Candidates): Attribution {
  const holder = holderOf(order, candidates);
  for (const tier of tiers) {
    const session = newestOf(tier, order, candidates);
    if (!session) continue;
    const own = session.profileId !== null;
    return {
      tier,
      sessionId: session.id,
      profileId: own ? session.profileId : (holder?.profileId ?? null),
      profileTier: own ? tier : (holder?.tier ?? null),
    };
  }
  const tier = holder?.tier ?? null;
  return { tier, sessionId: null, profileId: holder?.profileId ?? null, profileTier: tier };
}

function holderOf({ keys }: OrderToAttribute, candidates: Candidates): { profileId: string; tier: Tier } | null {
  for (const tier of ["email", "phone"] as const) {
    for (const key of keys) {
      const profileId = key.tier === tier ? candidates.holder(tier, key.value) : undefined;
      if (profileId !== undefined) return { profileId, tier };
    }
  }
  return null;
}

function newestOf(tier: Tier, order: OrderToAttribute, candidates: Candidates): CandidateSession | null {
  const values = order.keys.filter((key) => key.tier === tier).map((key) => key.value);
  const isContact = tier === "email" || tier === "phone";
  if (values.length === 0 || (isContact && order.renewal)) return null;
  const { first, last } = startsFor(order.createdAt);
  const keyValues = new Set(isContact ? values.map((value) => candidates.holder(tier, value)) : values);
  let newest: CandidateSession | null = null;
  for (const session of candidates.sessions) {
    const { startedAt, preview } = session;
    if (preview || startedAt === null || startedAt < first || startedAt > last) continue;
    const key = keyOfTier(tier, session);
    if (key !== null && keyValues.has(key) && isNewer(session, newest)) newest = session;
  }
  return newest;
}

function keyOfTier(tier: Tier, session: CandidateSession): string | null {
  if (tier === "line_item" || tier === "cart") return session.id;
  return tier === "visitor" ? session.visitorId : session.profileId;
}

function isNewer(session: CandidateSession, than: CandidateSession | null): boolean {
  if (than === null) return true;
  const difference = (session.startedAt ?? 0) - (than.startedAt ?? 0);
  return difference > 0 || (difference === 0 && session.id > than.id);
}

export type Bucket = "added_from_quiz" | "shown_bought_later" | "bought_not_shown";

/** What a session showed and added, by global id. */
export interface SessionProducts {
  shown: ReadonlySet<string>;
  added: ReadonlySet<string>;
}

/** A group of components of an order that has a session. */
export interface SoldBundle {
  key: string;
  /** null if the message does not name it */
  productId: string | null;
}

/**
 * The bundles' products by group, as far as the session showed or added them [orders.bundles]: their components count
 * as them. If the message does not name the product of an order's only group, it is what the session added and no line
 * is, if that is one product alone.
 */
export function shownBundles(
  bundles: readonly SoldBundle[],
  session: SessionProducts,
  lineProducts: ReadonlySet<string>,
): Map<string, string> {
  const [only, ...more] = bundles;
  const [added, ...others] = [...session.added].filter((id) => !lineProducts.has(id));
  const guessed = more.length === 0 && others.length === 0 ? added : undefined;
  const found = new Map<string, string>();
  for (const bundle of bundles) {
    const product = bundle.productId ?? (bundle === only ? guessed : undefined);
    if (product !== undefined && (session.added.has(product) || session.shown.has(product)))
      found.set(bundle.key, product);
  }
  return found;
}

/**
 * The bucket of a line of an order that has a session [orders.buckets]. A product that the session added to the cart
 * counts like the line's property.
 */
export function bucketOf(line: { productId: string | null; fromQuiz: boolean }, session: SessionProducts): Bucket {
  const { productId, fromQuiz } = line;
  if (fromQuiz || (productId !== null && session.added.has(productId))) return "added_from_quiz";
  return productId !== null && session.shown.has(productId) ? "shown_bought_later" : "bought_not_shown";
}
