import { auditRetention } from "../accounts/public.ts";
import { copyRetention } from "../columnar-copy/retention.ts";
import { orderRetention } from "../orders/retention.ts";
import { idempotencyRetention } from "../platform/http/idempotency.ts";
import type { Retention } from "../platform/retention.ts";
import { peopleRetention } from "../profiles/retention.ts";
import { approvalRetention } from "../quizzes/public.ts";
import { webhookRetention } from "../webhooks/retention.ts";

/** All data that is deleted after a while. */
export const retentions: readonly Retention[] = [
  ...copyRetention,
  ...peopleRetention,
  idempotencyRetention,
  ...webhookRetention,
  orderRetention,
  auditRetention,
  approvalRetention,
];
