import type { ErrorTitle } from "../../contract/errors.ts";

/** The rule that says when an error comes, for the error's page; errors that are not named here are those of one area. */

const rules: Partial<Record<ErrorTitle, string>> = {
  invalid_api_key: "api.key-required",
  not_signed_in: "dashboard-api.access",
  sign_in_failed: "accounts.unknown-alike",
  code_required: "accounts.second-factor",
  insufficient_role: "dashboard-api.roles",
  test_key_required: "test-stores.keys",
  password_required: "dashboard-api.password-again",
  cross_site_request: "dashboard-api.same-origin",
  last_owner: "accounts.members",
  link_gone: "accounts.link-once",
  draft_changed: "editor.revisions",
  if_match_required: "editor.revisions",
  plan_required: "api.plans",
  insufficient_scope: "api.scopes",
  not_found: "api.not-found",
  method_not_allowed: "api.methods",
  conflict: "quizzes.publish",
  ai_run_in_progress: "quizzes.ai-run",
  endpoint_limit: "webhooks.most-endpoints",
  webhook_conflict: "webhooks.same-address",
  range_not_satisfiable: "exports.ranges",
  validation_error: "api.validation",
  webhook_url_unsafe: "webhooks.safe-addresses",
  webhook_pii_required: "webhooks.contacts-topic",
  rate_limited: "api.rate-limits",
  internal_error: "api.problems",
  upstream_error: "api.dependencies",
  limiter_unavailable: "api.limiter-away",
  dependency_unavailable: "api.dependencies",
  timeout: "api.request-time",
};

export const ruleOf = (title: ErrorTitle): string => rules[title] ?? "api.problems";

/** The rule's place on its page. */
export function ruleAddress(title: ErrorTitle): string {
  const rule = ruleOf(title);
  return `/docs/rules/${rule.slice(0, rule.indexOf("."))}#${rule}`;
}
