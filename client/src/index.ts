export {
  type Answered,
  type CallOptions,
  type Client,
  type ClientSettings,
  createClient,
  type Fetch,
  type Headings,
  type Input,
  type Reply,
  type Route,
  type UnlessUnchanged,
} from "./core.ts";
export * from "./generated/operations.ts";
export type * from "./generated/types.ts";
export type { List, Page } from "./lists.ts";
export { ConnectionError, ProblemError } from "./problems.ts";
export { type VerifyOptions, verifyWebhook, WebhookError, type WebhookHeaders } from "./webhooks.ts";
