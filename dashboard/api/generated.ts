// Made from /dashboard/openapi.json by `npm run client`; do not edit.

import { type CallOptions, type Client, call, type Reply } from "../../client/src/core.ts";
import type {
  AssistantRun,
  Delivery,
  Draft,
  EventEnvelope,
  Finding,
  LiveVersion,
  Money,
  SavedDraft,
} from "../../client/src/generated/types.ts";
import { type List, list } from "../../client/src/lists.ts";

export type Person = {
  id: string;
  /** Capitals and blanks around it do not matter */
  email: string;
  /** As others see it; may be empty */
  name: string;
  /** Sees every store, and makes new ones */
  operator: boolean;
  has_password: boolean;
  /** Whether a code is asked for at sign-in */
  totp: boolean;
  recovery_codes_left: number;
  created_at: string;
};

export type Me = {
  person: Person;
  session: {
    id: string;
    /** When a password, a code or a link was last given */
    confirmed_at: string;
    /** Until then keys, secrets and erasures ask for nothing more */
    confirmed_until: string;
    /** The session ends then at the latest */
    expires_at: string;
  };
  /** Those that the person belongs to, by name */
  stores: {
    id: string;
    name: string;
    /** What the person may do in the store; each role may do all that the ones before it may */
    role: "analyst" | "editor" | "owner";
    /** ISO 4217 code */
    currency: string;
    /** IANA name */
    timezone: string;
    plan: "plus" | "enterprise" | "other";
  }[];
};

export type Link = {
  kind: "sign_in" | "invitation";
  /** Capitals and blanks around it do not matter */
  email: string;
  store: {
    id: string;
    name: string;
  };
  /** What the person may do in the store; each role may do all that the ones before it may */
  role: "analyst" | "editor" | "owner" | null;
  /** An invitation to be an operator */
  operator: boolean;
  /** Address of whoever invites; null: an operator */
  invited_by: string | null;
  expires_at: string;
  /** code: of the authenticator app; sign_in: the account exists, so its person signs in first and comes back */
  needs: "nothing" | "code" | "sign_in";
  /** Using it makes the account: a name and a password may be given */
  new_account: boolean;
};

export type Session = {
  id: string;
  /** The one that asks */
  current: boolean;
  created_at: string;
  /** To the minute */
  used_at: string;
  expires_at: string;
  user_agent: string;
  /** Where it began */
  address: string;
};

export type PersonalToken = {
  id: string;
  name: string;
  /** The one store that it opens */
  store: {
    id: string;
    name: string;
    /** What the person may do in the store; each role may do all that the ones before it may */
    role: "analyst" | "editor" | "owner";
  };
  /** Its first characters */
  head: string;
  last_four: string;
  created_at: string;
  expires_at: string;
  /** To the minute; null: never */
  last_used_at: string | null;
};

export type NewPersonalToken = {
  id: string;
  name: string;
  /** The one store that it opens */
  store: {
    id: string;
    name: string;
    /** What the person may do in the store; each role may do all that the ones before it may */
    role: "analyst" | "editor" | "owner";
  };
  /** Its first characters */
  head: string;
  last_four: string;
  created_at: string;
  expires_at: string;
  /** To the minute; null: never */
  last_used_at: string | null;
  /** Its text, shown here and never again */
  token: string;
};

export type Member = {
  user_id: string;
  /** Capitals and blanks around it do not matter */
  email: string;
  /** As others see it; may be empty */
  name: string;
  /** What the person may do in the store; each role may do all that the ones before it may */
  role: "analyst" | "editor" | "owner";
  since: string;
  /** Last */
  signed_in_at: string | null;
  /** Cannot sign in at the moment */
  disabled: boolean;
  two_factor: boolean;
};

export type Invitation = {
  id: string;
  /** Capitals and blanks around it do not matter */
  email: string;
  /** What the person may do in the store; each role may do all that the ones before it may */
  role: "analyst" | "editor" | "owner";
  /** Address of whoever invited; null: an operator */
  invited_by: string | null;
  created_at: string;
  expires_at: string;
};

export type CreatedInvitation = {
  id: string;
  /** Capitals and blanks around it do not matter */
  email: string;
  /** What the person may do in the store; each role may do all that the ones before it may */
  role: "analyst" | "editor" | "owner";
  /** Address of whoever invited; null: an operator */
  invited_by: string | null;
  created_at: string;
  expires_at: string;
  url: string;
  mailed: boolean;
};

export type AuditEntry = {
  id: string;
  at: string;
  actor: {
    kind: "person" | "key" | "command_line" | "system";
    /** Of the person or the key */
    id: string | null;
    /** Address of a person, admin of a key */
    name: string;
    /** What the person may do in the store; each role may do all that the ones before it may */
    role: "analyst" | "editor" | "owner" | null;
    /** An operator who helps the store */
    support: boolean;
  };
  /** Network address that it was done from */
  address: string | null;
  /** Such as member.removed */
  action: string;
  /** What it was done to */
  target: string | null;
  details: Record<string, unknown>;
};

export type Attention = {
  kind:
    | "webhook_disabled"
    | "webhook_failing"
    | "draft_differs"
    | "no_quiz_live"
    | "no_orders_connected"
    | "data_request_waiting"
    | "credits"
    | "plan_paused";
  severity: "problem" | "hint";
  /** One sentence */
  text: string;
  subject: {
    id: string;
    name: string;
  };
  /** The dashboard's screen for it, as a path */
  url: string | null;
};

export type StoreSettings = {
  id: string;
  name: string;
  /** As the commerce platform knows the shop */
  shop_domain: string;
  /** IANA name */
  timezone: string;
  /** ISO 4217 code; the commerce platform decides it */
  currency: string;
  /** Names the store in shoppers' browsers; no secret */
  publishable_key: string;
  created_at: string;
  /** Products that its online store does not show count as in the shop */
  sells_without_online_store: boolean;
};

export type StorePlan = {
  /** other: paused, without the API and deliveries */
  plan: "plus" | "enterprise" | "other";
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
  period: {
    /** Beginning of the billing cycle */
    from: string;
    /** Its end, not included */
    to: string;
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
  /** Days after a session's start in which an order counts for its quiz */
  order_window_days: number;
};

export type CommerceConnection = {
  /** waiting: nothing of the shop has come in yet */
  state: "connected" | "waiting";
  shop_domain: string;
  /** Where the commerce platform sends its messages */
  messages_url: string;
  /** Whether there is a secret that messages are checked with */
  secret_set: boolean;
  last_message_at: string | null;
  /** Of the newest order, by the shop's clock */
  last_order_at: string | null;
  /** Orders that are known; 100000 stands for more */
  orders: number;
  /** Products that are known and not deleted; 100000 stands for more */
  products: number;
  /** Topics that the platform should send */
  topics: string[];
  /** The newest 50 that were taken */
  messages: {
    /** The platform's own id of it */
    message_id: string;
    /** null: it came in before topics were kept */
    topic: string | null;
    received_at: string;
  }[];
};

export type EditedQuiz = {
  id: string;
  name: string;
  status: "draft" | "published";
  archived: boolean;
  /** Pages of the draft */
  page_count: number;
  created_at: string;
  updated_at: string;
  /** The draft's, counted up with each change; also its ETag */
  revision: number;
  /** When the draft was last changed */
  saved_at: string;
  /** Who changed it last; null where nobody knows */
  saved_by: string | null;
  live: LiveVersion | null;
  differs_from_live: boolean;
  assistant: AssistantRun | null;
};

export type DocumentChange = {
  kind: "added" | "removed" | "changed" | "moved";
  /** Of the thing in the later document; of a removed one in the earlier */
  path: string;
  /** One sentence */
  words: string;
  before: string | null;
  after: string | null;
};

export type ShownApproval = {
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
  quiz_name: string;
  version: {
    version_id: string;
    number: number;
    label: string | null;
  };
  /** What is live now; null: nothing is */
  live: {
    version_id: string;
    number: number;
    label: string | null;
  };
  /** Of the version's lint */
  findings: Finding[];
  /** From what is live to the version */
  changes: DocumentChange[];
};

export type CatalogProduct = {
  title: string;
  product_id: string;
  handle: string | null;
  /** Of the product's page in the shop */
  url: string | null;
  image_url: string | null;
  variants: {
    title: string | null;
    variant_id: string;
    price: Money | null;
    /** null: unknown */
    available: boolean | null;
  }[];
};

export type MovedAddress = {
  from: string;
  to: string;
};

export type CatalogValue = {
  /** As a selector names it: a text, or a collection's id */
  value: string;
  label: string;
  /** Of kind option: its name, such as Size */
  option: string | null;
  /** Products that have it now */
  products: number;
};

export type ExplainedProduct = {
  product_id: string;
  /** null: it is shown. Names the first step that leaves it out */
  not_shown:
    | "not_from"
    | "excluded"
    | "not_included"
    | "min_score"
    | "sold_out"
    | "min_stock"
    | "one_per"
    | "limit"
    | "not_in_shop"
    | "draft"
    | "archived"
    | "unpublished"
    | "deleted"
    | "not_searched"
    | null;
  variant_id: string | null;
  score: number;
  /** The rules that matched it; of an excluded product, those that exclude it */
  rule_keys: string[];
  /** Of one_per: the product shown for its vendor or type */
  instead: string | null;
  /** Of limit: its place in the order, from 1 */
  place: number | null;
};

export type PreviewedBlock = {
  block_key: string;
  products: {
    product_id: string;
    variant_id: string | null;
    position: number;
    source: "rules" | "fallback";
    reasons: string[];
  }[];
  /** Rules whose condition holds */
  rule_keys: string[];
  /** Each shown product, then those asked about */
  explained: ExplainedProduct[];
  /** How many products each selector matches now, with prices as these answers make them */
  matches: {
    from: number;
    rules: {
      rule_key: string;
      products: number;
    }[];
    fallback: number | null;
  };
};

export type ApiKey = {
  id: string;
  name: string;
  /** Whose account it acts under */
  admin: string;
  /** Its first characters */
  head: string;
  last_four: string;
  scopes: (
    | "quizzes:read"
    | "quizzes:write"
    | "quizzes:publish"
    | "analytics:read"
    | "profiles:read"
    | "webhooks:manage"
  )[];
  /** Opens the store's test twin, and nothing of the store itself */
  test: boolean;
  created_at: string;
  expires_at: string | null;
  /** To the minute; null: never */
  last_used_at: string | null;
  revoked_at: string | null;
};

export type NewApiKey = {
  id: string;
  name: string;
  /** Whose account it acts under */
  admin: string;
  /** Its first characters */
  head: string;
  last_four: string;
  scopes: (
    | "quizzes:read"
    | "quizzes:write"
    | "quizzes:publish"
    | "analytics:read"
    | "profiles:read"
    | "webhooks:manage"
  )[];
  /** Opens the store's test twin, and nothing of the store itself */
  test: boolean;
  created_at: string;
  expires_at: string | null;
  /** To the minute; null: never */
  last_used_at: string | null;
  revoked_at: string | null;
  /** Its text, shown here and never again */
  key: string;
};

export type TimelineProduct = {
  /** null: the catalog does not know it */
  title: string | null;
  product_id: string;
  variant_id: string | null;
  variant_title: string | null;
  image: string | null;
  price: Money | null;
  /** Of products that were added */
  quantity: number | null;
};

export type TimelineEntry = {
  /** Tells the entries of this list apart */
  id: string;
  at: string;
  kind: "opened" | "page" | "answered" | "shown" | "added" | "finished" | "left" | "order";
  session_id: string | null;
  quiz_id: string | null;
  quiz_name: string | null;
  page_key: string | null;
  page_title: string | null;
  /** How the page was come to: start, next, jump, skip, back, restart */
  cause: string | null;
  question: string | null;
  /** The answer in words; empty: cleared */
  values: string[] | null;
  /** The answer's content was erased */
  erased: boolean;
  products: TimelineProduct[];
  order: {
    order_id: string;
    order_name: string | null;
    /** An exact amount in one currency */
    amount: Money;
  };
};

export type ErasureExtent = {
  /** Whose free texts and contacts go; they stay counted */
  sessions: number;
  /** Email addresses and phone numbers */
  contacts: number;
  /** Answers that say something of their own: texts, emails, phones */
  answers: number;
  /** Orders whose contacts go */
  orders: number;
  /** Kept webhook payloads that are rewritten */
  deliveries: number;
  /** Files of people or responses that go at once */
  exports: number;
};

export type DataRequest = {
  request_id: string;
  received_at: string;
  /** null: it waits for an answer */
  answered_at: string | null;
};

export type DeliveryAttempt = {
  /** When it ended */
  at: string;
  status_code: number | null;
  /** null: it arrived */
  error: string | null;
};

export type DeliveryDetail = {
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
  /** Attempts since it was queued or queued again, the first one first; fewer than `attempts` where some were made before they were kept */
  tries: DeliveryAttempt[];
};

export type WebhookHealth = {
  endpoint_id: string;
  day: {
    delivered: number;
    /** Given up */
    failed: number;
    /** Not tried yet, or to be tried again */
    waiting: number;
  };
  /** Within the last 24 hours */
  last_delivered_at: string | null;
  /** When the last one that was given up within 24 hours was due */
  last_failed_at: string | null;
};

export type OperatedStore = {
  id: string;
  name: string;
  shop_domain: string;
  plan: "plus" | "enterprise" | "other";
  timezone: string;
  currency: string;
  publishable_key: string;
  /** The store's own numbers over its plan's, by the names that GET /dashboard/api/plan has */
  limits: Record<string, number | boolean>;
  created_at: string;
  disconnected_at: string | null;
  /** Until when the asking operator is signed in to it as support */
  support_until: string | null;
};

export type NewStore = {
  id: string;
  name: string;
  shop_domain: string;
  plan: "plus" | "enterprise" | "other";
  timezone: string;
  currency: string;
  publishable_key: string;
  /** The store's own numbers over its plan's, by the names that GET /dashboard/api/plan has */
  limits: Record<string, number | boolean>;
  created_at: string;
  disconnected_at: string | null;
  /** Until when the asking operator is signed in to it as support */
  support_until: string | null;
  /** Shown here and never again */
  commerce_secret: string;
};

/** What a refusal's `title` can be */
export type ProblemTitle =
  | "ai_run_in_progress"
  | "code_required"
  | "conflict"
  | "cross_site_request"
  | "dependency_unavailable"
  | "draft_changed"
  | "if_match_required"
  | "insufficient_role"
  | "internal_error"
  | "last_owner"
  | "limiter_unavailable"
  | "link_gone"
  | "not_found"
  | "not_signed_in"
  | "password_required"
  | "rate_limited"
  | "sign_in_failed"
  | "timeout"
  | "validation_error";

export type SignInInput = {
  body: {
    /** Capitals and blanks around it do not matter */
    email: string;
    password: string;
    /** Of the authenticator app, or a recovery code */
    code?: string | undefined;
  };
};

/** Sign in by email and password. Sets the session's cookie. A wrong password and an unknown address are answered alike. `POST /dashboard/api/sign-in` */
export function signIn(client: Client, input: SignInInput, options?: CallOptions): Reply<Me> {
  return call(client, { method: "POST", path: "/sign-in" }, input, options);
}

export type GetSignInOptionsAnswer = {
  oidc: {
    name: string;
    /** A link that leads there and back */
    url: string;
  };
  /** Whether a one-time link can be mailed */
  mail: boolean;
};

/** How people can sign in here. `GET /dashboard/api/sign-in/options` */
export function getSignInOptions(client: Client, options?: CallOptions): Reply<GetSignInOptionsAnswer> {
  return call(client, { method: "GET", path: "/sign-in/options", repeatable: true }, {}, options);
}

export type GetLinkInput = {
  path: {
    /** The last part of the link's address */
    token: string;
  };
};

/** What a one-time link is for. Uses nothing up, however often it is asked. `GET /dashboard/api/links/{token}` */
export function getLink(client: Client, input: GetLinkInput, options?: CallOptions): Reply<Link> {
  return call(client, { method: "GET", path: "/links/{token}", repeatable: true }, input, options);
}

export type AcceptLinkInput = {
  body: {
    /** The last part of the link's address */
    token: string;
    /** Of the authenticator app, or a recovery code */
    code?: string | undefined;
    /** As others see it; may be empty */
    name?: string | undefined;
    /** At least 12 characters */
    password?: string | undefined;
  };
};

/** Use a one-time link: sign in, or accept an invitation. Sets the session's cookie. A link is used once. `POST /dashboard/api/links/use` */
export function acceptLink(client: Client, input: AcceptLinkInput, options?: CallOptions): Reply<Me> {
  return call(client, { method: "POST", path: "/links/use" }, input, options);
}

export type MailLinkInput = {
  body: {
    /** Capitals and blanks around it do not matter */
    email: string;
  };
};

export type MailLinkAnswer = {
  sent: boolean;
};

/** Mail a one-time link that signs in. Answers the same whether the address is known or not. 409 where this service sends no mail. `POST /dashboard/api/links/mail` */
export function mailLink(client: Client, input: MailLinkInput, options?: CallOptions): Reply<MailLinkAnswer> {
  return call(client, { method: "POST", path: "/links/mail" }, input, options);
}

/** Who is signed in, and to which stores they belong. `GET /dashboard/api/me` */
export function getMe(client: Client, options?: CallOptions): Reply<Me> {
  return call(client, { method: "GET", path: "/me", repeatable: true }, {}, options);
}

export type UpdateMeInput = {
  body: {
    /** As others see it; may be empty */
    name: string;
  };
};

/** Change your name. `PATCH /dashboard/api/me` */
export function updateMe(client: Client, input: UpdateMeInput, options?: CallOptions): Reply<Me> {
  return call(client, { method: "PATCH", path: "/me" }, input, options);
}

/** Sign out of this browser. `POST /dashboard/api/sign-out` */
export function signOut(client: Client, options?: CallOptions): Reply<null> {
  return call(client, { method: "POST", path: "/sign-out" }, {}, options);
}

export type ConfirmMeInput = {
  body?:
    | {
        password?: string | undefined;
        /** Of the authenticator app, or a recovery code */
        code?: string | undefined;
      }
    | undefined;
};

/** Give the password again, or a code where there is no password. Sets a new cookie; what asked for it can be repeated for ten minutes. `POST /dashboard/api/confirm` */
export function confirmMe(client: Client, input: ConfirmMeInput = {}, options?: CallOptions): Reply<Me> {
  return call(client, { method: "POST", path: "/confirm" }, input, options);
}

export type SetPasswordInput = {
  body: {
    /** At least 12 characters */
    password: string;
  };
};

/** Set or change your password. Ends every other session, and sets a new cookie. `POST /dashboard/api/me/password` */
export function setPassword(client: Client, input: SetPasswordInput, options?: CallOptions): Reply<Me> {
  return call(client, { method: "POST", path: "/me/password" }, input, options);
}

export type BeginTotpAnswer = {
  /** To be typed into the app */
  secret: string;
  /** otpauth: address, to be shown as a QR code */
  uri: string;
};

/** Begin with an authenticator app. Nothing is asked for until a first code was given. `POST /dashboard/api/me/totp` */
export function beginTotp(client: Client, options?: CallOptions): Reply<BeginTotpAnswer> {
  return call(client, { method: "POST", path: "/me/totp" }, {}, options);
}

/** Go on without the authenticator app. Sets a new cookie. `DELETE /dashboard/api/me/totp` */
export function removeTotp(client: Client, options?: CallOptions): Reply<Me> {
  return call(client, { method: "DELETE", path: "/me/totp", repeatable: true }, {}, options);
}

export type ConfirmTotpInput = {
  body: {
    /** Of the authenticator app, or a recovery code */
    code: string;
  };
};

export type ConfirmTotpAnswer = {
  recovery_codes: string[];
};

/** Give the app's first code; from then on codes are asked for. Answers ten recovery codes, once. Sets a new cookie and ends every other session. `POST /dashboard/api/me/totp/confirm` */
export function confirmTotp(client: Client, input: ConfirmTotpInput, options?: CallOptions): Reply<ConfirmTotpAnswer> {
  return call(client, { method: "POST", path: "/me/totp/confirm" }, input, options);
}

export type ListSessionsAnswer = {
  data: Session[];
};

/** Where you are signed in, the last used first. `GET /dashboard/api/me/sessions` */
export function listSessions(client: Client, options?: CallOptions): Reply<ListSessionsAnswer> {
  return call(client, { method: "GET", path: "/me/sessions", repeatable: true }, {}, options);
}

export type EndAllSessionsInput = {
  query?:
    | {
        keep_this?: boolean | undefined;
      }
    | undefined;
};

/** Sign out everywhere. This session ends too, but with keep_this. `DELETE /dashboard/api/me/sessions` */
export function endAllSessions(client: Client, input: EndAllSessionsInput = {}, options?: CallOptions): Reply<null> {
  return call(client, { method: "DELETE", path: "/me/sessions", repeatable: true }, input, options);
}

export type EndSessionInput = {
  path: {
    session_id: string;
  };
};

/** Sign out somewhere. `DELETE /dashboard/api/me/sessions/{session_id}` */
export function endSession(client: Client, input: EndSessionInput, options?: CallOptions): Reply<null> {
  return call(client, { method: "DELETE", path: "/me/sessions/{session_id}", repeatable: true }, input, options);
}

export type ListTokensAnswer = {
  data: PersonalToken[];
};

/** Your personal tokens, newest first. Expired ones for another 30 days; never their text. `GET /dashboard/api/me/tokens` */
export function listTokens(client: Client, options?: CallOptions): Reply<ListTokensAnswer> {
  return call(client, { method: "GET", path: "/me/tokens", repeatable: true }, {}, options);
}

export type CreateTokenInput = {
  body: {
    name: string;
    /** One that you belong to */
    store_id: string;
    /** In the future, at most 366 days ahead */
    expires_at: string;
  };
};

/** Make a personal token. It opens /mcp, and under /dashboard/api the operations of /v1, in one store and with your rights there at the time. 409 for more than fifty. `POST /dashboard/api/me/tokens` */
export function createToken(client: Client, input: CreateTokenInput, options?: CallOptions): Reply<NewPersonalToken> {
  return call(client, { method: "POST", path: "/me/tokens" }, input, options);
}

export type RevokeTokenInput = {
  path: {
    token_id: string;
  };
};

/** Revoke a personal token. Requests with it are refused from now on. `DELETE /dashboard/api/me/tokens/{token_id}` */
export function revokeToken(client: Client, input: RevokeTokenInput, options?: CallOptions): Reply<null> {
  return call(client, { method: "DELETE", path: "/me/tokens/{token_id}", repeatable: true }, input, options);
}

export type ListMembersAnswer = {
  data: Member[];
};

/** List the people of the store, those who came first first. `GET /dashboard/api/members` */
export function listMembers(client: Client, options?: CallOptions): Reply<ListMembersAnswer> {
  return call(client, { method: "GET", path: "/members", repeatable: true }, {}, options);
}

export type UpdateMemberInput = {
  path: {
    user_id: string;
  };
  body: {
    /** What the person may do in the store; each role may do all that the ones before it may */
    role: "analyst" | "editor" | "owner";
  };
};

/** Give a member another role. A store keeps an owner. The person's sessions go on with a new token. `PATCH /dashboard/api/members/{user_id}` */
export function updateMember(client: Client, input: UpdateMemberInput, options?: CallOptions): Reply<Member> {
  return call(client, { method: "PATCH", path: "/members/{user_id}" }, input, options);
}

export type RemoveMemberInput = {
  path: {
    user_id: string;
  };
};

/** Remove a member from the store. A store keeps an owner. `DELETE /dashboard/api/members/{user_id}` */
export function removeMember(client: Client, input: RemoveMemberInput, options?: CallOptions): Reply<null> {
  return call(client, { method: "DELETE", path: "/members/{user_id}", repeatable: true }, input, options);
}

export type ListInvitationsAnswer = {
  data: Invitation[];
};

/** List the invitations that are open, newest first. `GET /dashboard/api/invitations` */
export function listInvitations(client: Client, options?: CallOptions): Reply<ListInvitationsAnswer> {
  return call(client, { method: "GET", path: "/invitations", repeatable: true }, {}, options);
}

export type CreateInvitationInput = {
  body: {
    /** Capitals and blanks around it do not matter */
    email: string;
    /** What the person may do in the store; each role may do all that the ones before it may */
    role: "analyst" | "editor" | "owner";
  };
};

/** Invite somebody to the store. Answers the link that the person opens, once; where mail is set up it is mailed too: `mailed` says whether the mail server accepted it within five seconds. An invitation of the same address is replaced. `POST /dashboard/api/invitations` */
export function createInvitation(
  client: Client,
  input: CreateInvitationInput,
  options?: CallOptions,
): Reply<CreatedInvitation> {
  return call(client, { method: "POST", path: "/invitations", repeatable: true, keyed: true }, input, options);
}

export type RevokeInvitationInput = {
  path: {
    invitation_id: string;
  };
};

/** Withdraw an invitation. `DELETE /dashboard/api/invitations/{invitation_id}` */
export function revokeInvitation(client: Client, input: RevokeInvitationInput, options?: CallOptions): Reply<null> {
  return call(client, { method: "DELETE", path: "/invitations/{invitation_id}", repeatable: true }, input, options);
}

export type ListAuditInput = {
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
        /** Entries of this action only */
        action?: string | undefined;
      }
    | undefined;
};

export type ListAuditAnswer = {
  data: AuditEntry[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List who did what in the store, newest first. Entries are kept for 400 days. `GET /dashboard/api/audit` */
export function listAudit(
  client: Client,
  input: ListAuditInput = {},
  options?: CallOptions,
): List<AuditEntry, ListAuditAnswer> {
  return list(client, { method: "GET", path: "/audit", repeatable: true }, input, options);
}

export type GetAttentionAnswer = {
  data: Attention[];
};

/** List what needs attention, problems first. Of what the person's role may see: webhooks only for those who manage them, requests for data only for those who may read contacts. `GET /dashboard/api/attention` */
export function getAttention(client: Client, options?: CallOptions): Reply<GetAttentionAnswer> {
  return call(client, { method: "GET", path: "/attention", repeatable: true }, {}, options);
}

export type WhereIsInput = {
  path: {
    id: string;
  };
};

export type WhereIsAnswer = {
  kind: "quiz" | "profile" | "export" | "webhook" | "event";
  store_id: string;
  /** The dashboard's screen for it, as a path */
  url: string;
};

/** Find the store of an id, among those of the person. 404 for whatever is in none of their stores, and for what their role there may not see. `GET /dashboard/api/where/{id}` */
export function whereIs(client: Client, input: WhereIsInput, options?: CallOptions): Reply<WhereIsAnswer> {
  return call(client, { method: "GET", path: "/where/{id}", repeatable: true }, input, options);
}

/** Read the store's settings. `GET /dashboard/api/settings` */
export function getSettings(client: Client, options?: CallOptions): Reply<StoreSettings> {
  return call(client, { method: "GET", path: "/settings", repeatable: true }, {}, options);
}

export type UpdateSettingsInput = {
  body?:
    | {
        name?: string | undefined;
        /** IANA name */
        timezone?: string | undefined;
        sells_without_online_store?: boolean | undefined;
      }
    | undefined;
};

/** Change the store's name, zone, or where it sells. The commerce platform's own changes of name and zone are taken over when it tells of them. `PATCH /dashboard/api/settings` */
export function updateSettings(
  client: Client,
  input: UpdateSettingsInput = {},
  options?: CallOptions,
): Reply<StoreSettings> {
  return call(client, { method: "PATCH", path: "/settings" }, input, options);
}

/** Read the store's plan, its limits and the credits used. `GET /dashboard/api/plan` */
export function getPlan(client: Client, options?: CallOptions): Reply<StorePlan> {
  return call(client, { method: "GET", path: "/plan", repeatable: true }, {}, options);
}

/** Read the state of the commerce platform's connection. `GET /dashboard/api/commerce` */
export function getCommerce(client: Client, options?: CallOptions): Reply<CommerceConnection> {
  return call(client, { method: "GET", path: "/commerce", repeatable: true }, {}, options);
}

export type SetCommerceSecretInput = {
  body: {
    secret: string;
  };
};

/** Set what the commerce platform signs its messages with. Messages signed with the one before are refused from then on. `PUT /dashboard/api/commerce/secret` */
export function setCommerceSecret(
  client: Client,
  input: SetCommerceSecretInput,
  options?: CallOptions,
): Reply<CommerceConnection> {
  return call(client, { method: "PUT", path: "/commerce/secret", repeatable: true }, input, options);
}

export type RotateCommerceSecretAnswer = {
  /** Shown here and never again */
  secret: string;
};

/** Make a new secret for the commerce platform to sign with. `POST /dashboard/api/commerce/secret/rotate` */
export function rotateCommerceSecret(client: Client, options?: CallOptions): Reply<RotateCommerceSecretAnswer> {
  return call(client, { method: "POST", path: "/commerce/secret/rotate", repeatable: true, keyed: true }, {}, options);
}

export type TestCommerceAnswer = {
  ok: boolean;
  checks: {
    check: "secret" | "signature" | "messages" | "orders" | "products";
    ok: boolean;
    /** What was found, in one sentence */
    text: string;
  }[];
};

/** Try the connection: send the service a signed message as the platform would. The message is of no topic that changes anything. Says what went wrong in one sentence. `POST /dashboard/api/commerce/test` */
export function testCommerce(client: Client, options?: CallOptions): Reply<TestCommerceAnswer> {
  return call(client, { method: "POST", path: "/commerce/test" }, {}, options);
}

export type ListEditedQuizzesInput = {
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
        status?: "draft" | "published" | undefined;
        archived?: boolean | undefined;
        /** A part of the name */
        q?: string | undefined;
      }
    | undefined;
};

export type ListEditedQuizzesAnswer = {
  data: EditedQuiz[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List quizzes with the state of their drafts, newest first. `GET /dashboard/api/quizzes` */
export function listEditedQuizzes(
  client: Client,
  input: ListEditedQuizzesInput = {},
  options?: CallOptions,
): List<EditedQuiz, ListEditedQuizzesAnswer> {
  return list(client, { method: "GET", path: "/quizzes", repeatable: true }, input, options);
}

export type CreateQuizInput = {
  body?:
    | {
        name?: string | undefined;
        template_id?: "empty" | "finder" | "gift" | "calculator" | undefined;
        /** A quiz document; of a draft it may be incomplete */
        document?: Record<string, unknown> | undefined;
      }
    | undefined;
};

/** Make a quiz: empty, from a template, or from a document. A document may be what an export holds: its name is taken where none is given. `POST /dashboard/api/quizzes` */
export function createQuiz(client: Client, input: CreateQuizInput = {}, options?: CallOptions): Reply<Draft> {
  return call(client, { method: "POST", path: "/quizzes", repeatable: true, keyed: true }, input, options);
}

export type ListQuizTemplatesAnswer = {
  data: {
    template_id: "empty" | "finder" | "gift" | "calculator";
    name: string;
    description: string;
    page_count: number;
  }[];
};

/** List what a new quiz can begin with. `GET /dashboard/api/quiz-templates` */
export function listQuizTemplates(client: Client, options?: CallOptions): Reply<ListQuizTemplatesAnswer> {
  return call(client, { method: "GET", path: "/quiz-templates", repeatable: true }, {}, options);
}

export type DuplicateQuizInput = {
  path: {
    quiz_id: string;
  };
  body?:
    | {
        name?: string | undefined;
      }
    | undefined;
};

/** Make a quiz of another one's draft. `POST /dashboard/api/quizzes/{quiz_id}/duplicate` */
export function duplicateQuiz(client: Client, input: DuplicateQuizInput, options?: CallOptions): Reply<Draft> {
  return call(
    client,
    { method: "POST", path: "/quizzes/{quiz_id}/duplicate", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type GetDraftInput = {
  path: {
    quiz_id: string;
  };
};

/** Read a quiz's draft. The ETag is what a change of it names in If-Match. `GET /dashboard/api/quizzes/{quiz_id}/draft` */
export function getDraft(client: Client, input: GetDraftInput, options?: CallOptions): Reply<Draft> {
  return call(client, { method: "GET", path: "/quizzes/{quiz_id}/draft", repeatable: true }, input, options);
}

export type PutDraftInput = {
  path: {
    quiz_id: string;
  };
  body?: Record<string, unknown> | undefined;
};

/** Replace a quiz's draft. Takes a document, or a name and a document as an export holds them. If-Match names the draft that was changed: one that somebody else has changed since is not overwritten. A draft may be incomplete; what keeps it from being a version is among the findings. HTML that a document may not hold is taken out, and named by a finding. `PUT /dashboard/api/quizzes/{quiz_id}/draft` */
export function putDraft(client: Client, input: PutDraftInput, options?: CallOptions): Reply<SavedDraft> {
  return call(client, { method: "PUT", path: "/quizzes/{quiz_id}/draft" }, input, options);
}

export type LintDraftInput = {
  path: {
    quiz_id: string;
  };
  body?: Record<string, unknown> | undefined;
};

export type LintDraftAnswer = {
  findings: Finding[];
};

/** Look at a document as the quiz's next version, without keeping it. `POST /dashboard/api/quizzes/{quiz_id}/draft/lint` */
export function lintDraft(client: Client, input: LintDraftInput, options?: CallOptions): Reply<LintDraftAnswer> {
  return call(client, { method: "POST", path: "/quizzes/{quiz_id}/draft/lint" }, input, options);
}

export type PublishDraftInput = {
  path: {
    quiz_id: string;
  };
  body?:
    | {
        label?: string | undefined;
      }
    | undefined;
};

/** Save the draft as a version and make it live. Publishes the draft that If-Match names and no other. Safe to repeat: where the draft is live as it is, nothing changes. `POST /dashboard/api/quizzes/{quiz_id}/draft/publish` */
export function publishDraft(client: Client, input: PublishDraftInput, options?: CallOptions): Reply<SavedDraft> {
  return call(
    client,
    { method: "POST", path: "/quizzes/{quiz_id}/draft/publish", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type EndAssistantRunInput = {
  path: {
    quiz_id: string;
  };
};

export type EndAssistantRunAnswer = {
  quiz_id: string;
  ended: AssistantRun | null;
};

/** End the AI assistant's run, so that people edit the draft again. What it did until then stays in the draft. Where there is no run nothing changes. `POST /dashboard/api/quizzes/{quiz_id}/assistant/end` */
export function endAssistantRun(
  client: Client,
  input: EndAssistantRunInput,
  options?: CallOptions,
): Reply<EndAssistantRunAnswer> {
  return call(
    client,
    { method: "POST", path: "/quizzes/{quiz_id}/assistant/end", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type ExportQuizInput = {
  path: {
    quiz_id: string;
  };
};

export type ExportQuizAnswer = {
  quiz_id: string;
  name: string;
  /** A quiz document; of a draft it may be incomplete */
  document: Record<string, unknown>;
};

/** A quiz's name and draft, as an import takes them. `GET /dashboard/api/quizzes/{quiz_id}/export` */
export function exportQuiz(client: Client, input: ExportQuizInput, options?: CallOptions): Reply<ExportQuizAnswer> {
  return call(client, { method: "GET", path: "/quizzes/{quiz_id}/export", repeatable: true }, input, options);
}

export type PreviewQuizInput = {
  path: {
    quiz_id: string;
  };
  body?:
    | {
        version_id?: string | undefined;
        hours?: number | undefined;
      }
    | undefined;
};

export type PreviewQuizAnswer = {
  url: string;
  version_id: string | null;
  expires_at: string;
};

/** Make a link that shows the draft, or a version, without an account. Nothing that is done there counts. `POST /dashboard/api/quizzes/{quiz_id}/preview` */
export function previewQuiz(client: Client, input: PreviewQuizInput, options?: CallOptions): Reply<PreviewQuizAnswer> {
  return call(
    client,
    { method: "POST", path: "/quizzes/{quiz_id}/preview", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type RestoreVersionInput = {
  path: {
    quiz_id: string;
    version_id: string;
  };
};

/** Make a version the draft again. `POST /dashboard/api/quizzes/{quiz_id}/versions/{version_id}/restore` */
export function restoreVersion(client: Client, input: RestoreVersionInput, options?: CallOptions): Reply<Draft> {
  return call(
    client,
    { method: "POST", path: "/quizzes/{quiz_id}/versions/{version_id}/restore", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type GetVersionDocumentInput = {
  path: {
    quiz_id: string;
    version_id: string;
  };
};

export type GetVersionDocumentAnswer = {
  quiz_id: string;
  version_id: string;
  number: number;
  /** A quiz document; of a draft it may be incomplete */
  document: Record<string, unknown>;
};

/** Read a version's document. `GET /dashboard/api/quizzes/{quiz_id}/versions/{version_id}/document` */
export function getVersionDocument(
  client: Client,
  input: GetVersionDocumentInput,
  options?: CallOptions,
): Reply<GetVersionDocumentAnswer> {
  return call(
    client,
    { method: "GET", path: "/quizzes/{quiz_id}/versions/{version_id}/document", repeatable: true },
    input,
    options,
  );
}

export type CompareDocumentsInput = {
  path: {
    quiz_id: string;
  };
  query?:
    | {
        /** draft, live, or the id of a version */
        from?: string | undefined;
        /** draft, live, or the id of a version */
        to?: string | undefined;
      }
    | undefined;
};

export type CompareDocumentsAnswer = {
  from: string;
  to: string;
  changes: DocumentChange[];
};

/** What differs between two versions of a quiz, in words. From what is live to the draft, unless others are named. A quiz that is not live is compared with nothing. `GET /dashboard/api/quizzes/{quiz_id}/difference` */
export function compareDocuments(
  client: Client,
  input: CompareDocumentsInput,
  options?: CallOptions,
): Reply<CompareDocumentsAnswer> {
  return call(client, { method: "GET", path: "/quizzes/{quiz_id}/difference", repeatable: true }, input, options);
}

export type ListQuizHistoryInput = {
  path: {
    quiz_id: string;
  };
};

export type ListQuizHistoryAnswer = {
  data: {
    at: string;
    action: string;
    by: string;
    source: "api" | "operator" | "dashboard" | "assistant";
    version_id: string | null;
    version_number: number | null;
    label: string | null;
    live: boolean;
  }[];
};

/** Who did what to a quiz, newest first. `GET /dashboard/api/quizzes/{quiz_id}/history` */
export function listQuizHistory(
  client: Client,
  input: ListQuizHistoryInput,
  options?: CallOptions,
): Reply<ListQuizHistoryAnswer> {
  return call(client, { method: "GET", path: "/quizzes/{quiz_id}/history", repeatable: true }, input, options);
}

export type GetApprovalInput = {
  path: {
    approval_id: string;
  };
};

/** Read what a program asks to publish, and what would change. `GET /dashboard/api/approvals/{approval_id}` */
export function getApproval(client: Client, input: GetApprovalInput, options?: CallOptions): Reply<ShownApproval> {
  return call(client, { method: "GET", path: "/approvals/{approval_id}", repeatable: true }, input, options);
}

export type ApprovePublishingInput = {
  path: {
    approval_id: string;
  };
};

export type ApprovePublishingAnswer = {
  id: string;
  quiz_id: string;
  status: "published" | "declined";
};

/** Publish what a program asks to publish. `POST /dashboard/api/approvals/{approval_id}/approve` */
export function approvePublishing(
  client: Client,
  input: ApprovePublishingInput,
  options?: CallOptions,
): Reply<ApprovePublishingAnswer> {
  return call(
    client,
    { method: "POST", path: "/approvals/{approval_id}/approve", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type DeclinePublishingInput = {
  path: {
    approval_id: string;
  };
};

export type DeclinePublishingAnswer = {
  id: string;
  quiz_id: string;
  status: "published" | "declined";
};

/** Decline what a program asks to publish. `POST /dashboard/api/approvals/{approval_id}/decline` */
export function declinePublishing(
  client: Client,
  input: DeclinePublishingInput,
  options?: CallOptions,
): Reply<DeclinePublishingAnswer> {
  return call(
    client,
    { method: "POST", path: "/approvals/{approval_id}/decline", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type SearchCatalogInput = {
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
        q?: string | undefined;
        /** any: also drafts, archived, unpublished and deleted ones; shown by default */
        state?: "shown" | "any" | undefined;
      }
    | undefined;
};

export type SearchCatalogAnswer = {
  data: CatalogProduct[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** The shop's products by title. Every word of q occurs in the title or is the product's number. `GET /dashboard/api/catalog` */
export function searchCatalog(
  client: Client,
  input: SearchCatalogInput = {},
  options?: CallOptions,
): List<CatalogProduct, SearchCatalogAnswer> {
  return list(client, { method: "GET", path: "/catalog", repeatable: true }, input, options);
}

export type NameProductsInput = {
  body: {
    product_ids: string[];
    variant_ids?: string[] | undefined;
  };
};

export type NameProductsAnswer = {
  store: {
    name: string;
    currency: string;
  };
  data: CatalogProduct[];
  /** What addresses of pictures begin with, and with what instead where a quiz is shown, as this server answers for them; of the demo shop */
  moved_addresses: MovedAddress[];
};

/** Products by their ids, as shoppers are told of them. In the order given; those that the shop does not have are left out. `POST /dashboard/api/catalog/named` */
export function nameProducts(
  client: Client,
  input: NameProductsInput,
  options?: CallOptions,
): Reply<NameProductsAnswer> {
  return call(client, { method: "POST", path: "/catalog/named" }, input, options);
}

export type ListCatalogValuesInput = {
  query: {
    kind: "tag" | "vendor" | "product_type" | "collection" | "option";
    q?: string | undefined;
  };
};

export type ListCatalogValuesAnswer = {
  data: CatalogValue[];
  has_more: boolean;
  catalog: {
    /** Products that the shop has */
    products: number;
    /** Products whose tags are not known: no message or import has told them yet */
    without_tags: number;
  };
};

/** Tags, vendors, types, collections or options of the shop's products. Those of most products first, collections by title; at most 50. q is part of the text. `GET /dashboard/api/catalog/values` */
export function listCatalogValues(
  client: Client,
  input: ListCatalogValuesInput,
  options?: CallOptions,
): Reply<ListCatalogValuesAnswer> {
  return call(client, { method: "GET", path: "/catalog/values", repeatable: true }, input, options);
}

export type PreviewRuledProductsInput = {
  path: {
    quiz_id: string;
  };
  body: {
    /** A quiz document; of a draft it may be incomplete */
    document: Record<string, unknown>;
    answers?:
      | Record<
          string,
          {
            option_ids?: null | string[] | undefined;
            value?:
              | null
              | string
              | number
              | {
                  date: string;
                  time?: string | null | undefined;
                }
              | unknown[]
              | undefined;
          }
        >
      | undefined;
    block_keys: string[];
    product_ids?: string[] | undefined;
  };
};

export type PreviewRuledProductsAnswer = {
  blocks: PreviewedBlock[];
  catalog: CatalogProduct[];
};

/** What a draft's rules choose, and why. By the shop's catalog as it is now, for these answers. Blocks without rules are left out. A document that could not be a version is refused. `POST /dashboard/api/quizzes/{quiz_id}/draft/products` */
export function previewRuledProducts(
  client: Client,
  input: PreviewRuledProductsInput,
  options?: CallOptions,
): Reply<PreviewRuledProductsAnswer> {
  return call(client, { method: "POST", path: "/quizzes/{quiz_id}/draft/products" }, input, options);
}

export type ListKeysInput = {
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
      }
    | undefined;
};

export type ListKeysAnswer = {
  data: ApiKey[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List API keys, newest first. Revoked and expired ones too; never their text. `GET /dashboard/api/keys` */
export function listKeys(
  client: Client,
  input: ListKeysInput = {},
  options?: CallOptions,
): List<ApiKey, ListKeysAnswer> {
  return list(client, { method: "GET", path: "/keys", repeatable: true }, input, options);
}

export type CreateKeyInput = {
  body: {
    name: string;
    scopes: (
      | "quizzes:read"
      | "quizzes:write"
      | "quizzes:publish"
      | "analytics:read"
      | "profiles:read"
      | "webhooks:manage"
    )[];
    /** In the future; null or left out: never */
    expires_at?: string | null | undefined;
    /** A key of the store's test twin; it begins with `svc_test_` */
    test?: boolean | undefined;
  };
};

/** Make an API key. `POST /dashboard/api/keys` */
export function createKey(client: Client, input: CreateKeyInput, options?: CallOptions): Reply<NewApiKey> {
  return call(client, { method: "POST", path: "/keys", repeatable: true, keyed: true }, input, options);
}

export type RevokeKeyInput = {
  path: {
    key_id: string;
  };
};

/** Revoke an API key. Requests with it are refused within seconds. Safe to repeat. `POST /dashboard/api/keys/{key_id}/revoke` */
export function revokeKey(client: Client, input: RevokeKeyInput, options?: CallOptions): Reply<ApiKey> {
  return call(client, { method: "POST", path: "/keys/{key_id}/revoke", repeatable: true, keyed: true }, input, options);
}

export type GetProfileTimelineInput = {
  path: {
    profile_id: string;
  };
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Sessions and orders a page */
        limit?: number | undefined;
      }
    | undefined;
};

export type GetProfileTimelineAnswer = {
  data: TimelineEntry[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List what a person did, newest first. Visits with their pages and answers, products shown and added, and orders. `limit` counts sessions and orders; each session is told as a whole. `GET /dashboard/api/profiles/{profile_id}/timeline` */
export function getProfileTimeline(
  client: Client,
  input: GetProfileTimelineInput,
  options?: CallOptions,
): List<TimelineEntry, GetProfileTimelineAnswer> {
  return list(client, { method: "GET", path: "/profiles/{profile_id}/timeline", repeatable: true }, input, options);
}

export type PreviewErasureInput = {
  path: {
    profile_id: string;
  };
};

/** Count what erasing a person would take away. `GET /dashboard/api/profiles/{profile_id}/erasure` */
export function previewErasure(
  client: Client,
  input: PreviewErasureInput,
  options?: CallOptions,
): Reply<ErasureExtent> {
  return call(client, { method: "GET", path: "/profiles/{profile_id}/erasure", repeatable: true }, input, options);
}

export type EraseProfileInput = {
  path: {
    profile_id: string;
  };
};

export type EraseProfileAnswer = {
  profile_id: string;
  erased_at: string;
  sessions: number;
};

/** Erase a person. Contacts and free texts go wherever they are, and cannot be brought back; what is counted stays counted. `POST /dashboard/api/profiles/{profile_id}/erase` */
export function eraseProfile(
  client: Client,
  input: EraseProfileInput,
  options?: CallOptions,
): Reply<EraseProfileAnswer> {
  return call(
    client,
    { method: "POST", path: "/profiles/{profile_id}/erase", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type GetProfileDataInput = {
  path: {
    profile_id: string;
  };
};

export type GetProfileDataAnswer = {
  store: string;
  profile_id: string;
  answered_at: string;
  data: Record<string, unknown[]>;
};

/** Read everything that is stored about a person. For whoever asks what is known of them: rows by table, as they are kept. `GET /dashboard/api/profiles/{profile_id}/data` */
export function getProfileData(
  client: Client,
  input: GetProfileDataInput,
  options?: CallOptions,
): Reply<GetProfileDataAnswer> {
  return call(client, { method: "GET", path: "/profiles/{profile_id}/data", repeatable: true }, input, options);
}

export type ListDataRequestsAnswer = {
  data: DataRequest[];
};

/** List customers' requests for their data that the commerce platform passed on, newest first. `GET /dashboard/api/data-requests` */
export function listDataRequests(client: Client, options?: CallOptions): Reply<ListDataRequestsAnswer> {
  return call(client, { method: "GET", path: "/data-requests", repeatable: true }, {}, options);
}

export type GetRequestedDataInput = {
  path: {
    request_id: string;
  };
};

export type GetRequestedDataAnswer = {
  store: string;
  request_id: string;
  requested_at: string;
  answered_at: string;
  asked_for: {
    emails: string[];
    phones: string[];
    order_ids: string[];
  };
  data: Record<string, unknown[]>;
};

/** Read everything that is stored about the customer of a request that waits. Rows by table, as they are kept. The request waits until it is closed. `GET /dashboard/api/data-requests/{request_id}/data` */
export function getRequestedData(
  client: Client,
  input: GetRequestedDataInput,
  options?: CallOptions,
): Reply<GetRequestedDataAnswer> {
  return call(client, { method: "GET", path: "/data-requests/{request_id}/data", repeatable: true }, input, options);
}

export type CloseDataRequestInput = {
  path: {
    request_id: string;
  };
};

/** Say that a customer's request for their data was answered. Whom it was about is forgotten, so that the data cannot be read for it again. Safe to repeat. `POST /dashboard/api/data-requests/{request_id}/close` */
export function closeDataRequest(
  client: Client,
  input: CloseDataRequestInput,
  options?: CallOptions,
): Reply<DataRequest> {
  return call(
    client,
    { method: "POST", path: "/data-requests/{request_id}/close", repeatable: true, keyed: true },
    input,
    options,
  );
}

export type SearchDeliveriesInput = {
  path: {
    endpoint_id: string;
  };
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
        status?: "pending" | "retrying" | "delivering" | "delivered" | "dead" | undefined;
        topic?:
          | "quiz.started"
          | "quiz.finished"
          | "quiz.abandoned"
          | "identity.captured"
          | "profile.created"
          | "profile.updated"
          | "quiz.published"
          | "export.completed"
          | "webhook.endpoint.disabled"
          | "ping"
          | undefined;
      }
    | undefined;
};

export type SearchDeliveriesAnswer = {
  data: Delivery[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List an endpoint's deliveries by status and topic, newest first. Contacts in payloads, and what receivers said to them, are for those who may read contacts. `GET /dashboard/api/webhooks/{endpoint_id}/deliveries` */
export function searchDeliveries(
  client: Client,
  input: SearchDeliveriesInput,
  options?: CallOptions,
): List<Delivery, SearchDeliveriesAnswer> {
  return list(client, { method: "GET", path: "/webhooks/{endpoint_id}/deliveries", repeatable: true }, input, options);
}

export type GetDeliveryInput = {
  path: {
    endpoint_id: string;
    delivery_id: string;
  };
};

/** Read a delivery with its attempts. `GET /dashboard/api/webhooks/{endpoint_id}/deliveries/{delivery_id}` */
export function getDelivery(client: Client, input: GetDeliveryInput, options?: CallOptions): Reply<DeliveryDetail> {
  return call(
    client,
    { method: "GET", path: "/webhooks/{endpoint_id}/deliveries/{delivery_id}", repeatable: true },
    input,
    options,
  );
}

export type GetWebhookHealthAnswer = {
  data: WebhookHealth[];
};

/** Count what became of each endpoint's deliveries in the last 24 hours. `GET /dashboard/api/webhooks/health` */
export function getWebhookHealth(client: Client, options?: CallOptions): Reply<GetWebhookHealthAnswer> {
  return call(client, { method: "GET", path: "/webhooks/health", repeatable: true }, {}, options);
}

export type ListStoresInput = {
  query?:
    | {
        /** `next_cursor` of the page before, unchanged; `first`, as none, is the first page */
        cursor?: string | undefined;
        /** Rows a page */
        limit?: number | undefined;
        /** Part of the name or the domain */
        q?: string | undefined;
        /** Only those that you are signed in to as support */
        supported?: boolean | undefined;
      }
    | undefined;
};

export type ListStoresAnswer = {
  data: OperatedStore[];
  /** Whether a page follows */
  has_more: boolean;
  /** Send back as `cursor`; null on the last page */
  next_cursor: string | null;
};

/** List stores, newest first. `GET /dashboard/api/operator/stores` */
export function listStores(
  client: Client,
  input: ListStoresInput = {},
  options?: CallOptions,
): List<OperatedStore, ListStoresAnswer> {
  return list(client, { method: "GET", path: "/operator/stores", repeatable: true }, input, options);
}

export type CreateStoreInput = {
  body: {
    name: string;
    /** Such as my-shop.myshopify.com */
    shop_domain: string;
    plan: "plus" | "enterprise" | "other";
    timezone: string;
    currency: string;
  };
};

/** Make a store. `POST /dashboard/api/operator/stores` */
export function createStore(client: Client, input: CreateStoreInput, options?: CallOptions): Reply<NewStore> {
  return call(client, { method: "POST", path: "/operator/stores" }, input, options);
}

export type UpdateStoreInput = {
  path: {
    store_id: string;
  };
  body?:
    | {
        plan?: "plus" | "enterprise" | "other" | undefined;
        timezone?: string | undefined;
        /** The store's own numbers over its plan's, by the names that GET /dashboard/api/plan has */
        limits?: Record<string, number | boolean> | undefined;
      }
    | undefined;
};

/** Change a store's plan, zone or own limits. `limits` takes the place of all own numbers; {} takes them away. `PATCH /dashboard/api/operator/stores/{store_id}` */
export function updateStore(client: Client, input: UpdateStoreInput, options?: CallOptions): Reply<OperatedStore> {
  return call(client, { method: "PATCH", path: "/operator/stores/{store_id}" }, input, options);
}

export type DisconnectStoreInput = {
  path: {
    store_id: string;
  };
};

/** Disconnect a store: every key is revoked, every webhook endpoint deleted, every export cancelled. `POST /dashboard/api/operator/stores/{store_id}/disconnect` */
export function disconnectStore(
  client: Client,
  input: DisconnectStoreInput,
  options?: CallOptions,
): Reply<OperatedStore> {
  return call(client, { method: "POST", path: "/operator/stores/{store_id}/disconnect" }, input, options);
}

export type ReconnectStoreInput = {
  path: {
    store_id: string;
  };
};

/** Connect a disconnected store again; keys and endpoints stay gone. `POST /dashboard/api/operator/stores/{store_id}/reconnect` */
export function reconnectStore(
  client: Client,
  input: ReconnectStoreInput,
  options?: CallOptions,
): Reply<OperatedStore> {
  return call(client, { method: "POST", path: "/operator/stores/{store_id}/reconnect" }, input, options);
}

export type BeginSupportInput = {
  path: {
    store_id: string;
  };
  body: {
    reason: string;
  };
};

/** Sign in to a store as support, for an hour. The store's audit log says so, and marks each change that is made in it meanwhile. `POST /dashboard/api/operator/stores/{store_id}/support` */
export function beginSupport(client: Client, input: BeginSupportInput, options?: CallOptions): Reply<OperatedStore> {
  return call(client, { method: "POST", path: "/operator/stores/{store_id}/support" }, input, options);
}

export type EndSupportInput = {
  path: {
    store_id: string;
  };
};

/** Leave a store that was signed in to as support. `DELETE /dashboard/api/operator/stores/{store_id}/support` */
export function endSupport(client: Client, input: EndSupportInput, options?: CallOptions): Reply<null> {
  return call(
    client,
    { method: "DELETE", path: "/operator/stores/{store_id}/support", repeatable: true },
    input,
    options,
  );
}
