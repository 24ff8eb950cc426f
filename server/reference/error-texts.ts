import { type ErrorTitle, errorKinds, errorTitles } from "../../contract/errors.ts";

/** What each error means and how to solve it, as Markdown, with the rule that defines it [reference.errors]. */

/** Only errors that belong to one area are listed here. */
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

/** A link to the rule's section. */
function ruleLink(title: ErrorTitle): string {
  const rule = rules[title] ?? "api.problems";
  return `[${rule}](/docs/rules/${rule.slice(0, rule.indexOf("."))}#${rule})`;
}

export const errorPath = (title: ErrorTitle): string => `/errors/${title}`;

export function errorText(title: ErrorTitle): string {
  const { status, meaning, remedy } = errorKinds[title];
  const id = "Every answer carries a `Request-Id`; quote it when you report a problem.";
  return `# ${title}\n\n\`${status}\` ${meaning}\n\n## What to do\n\n${remedy}\n\nWhat is promised: ${ruleLink(title)}.\n\n${id} [All errors](/errors), [the reference](/reference), [the documentation](/docs)\n`;
}

export function errorListText(): string {
  const rows = errorTitles.map((title) => {
    const { status, detail } = errorKinds[title];
    return `| [\`${title}\`](${errorPath(title)}) | ${status} | ${detail} |`;
  });
  return `# Errors\n\nEvery refusal is RFC 9457 problem details; its \`title\` is one of these, and its \`type\` the address of the page.\n\n| Title | Status | Detail |\n|---|---|---|\n${rows.join("\n")}\n`;
}
