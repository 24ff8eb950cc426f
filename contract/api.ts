import { analyticsOperations } from "./analytics.ts";
import { requestApproval } from "./approvals.ts";
import { draftOperations } from "./drafts.ts";
import { eventOperations } from "./event-feed.ts";
import { exportOperations } from "./exports.ts";
import type { Operation } from "./operation.ts";
import { profileOperations } from "./profiles.ts";
import { quizOperations } from "./quizzes.ts";
import { searchProfiles } from "./search.ts";
import { getStore } from "./store.ts";
import { testStoreOperations } from "./test-stores.ts";
import { webhookOperations } from "./webhooks.ts";

/** The operations of `/v1` that every store has, in the order of the documentation. */
export const storeOperations: readonly Operation[] = [
  getStore,
  ...quizOperations,
  requestApproval,
  ...draftOperations,
  ...analyticsOperations,
  ...profileOperations,
  searchProfiles,
  ...exportOperations,
  ...eventOperations,
  ...webhookOperations,
] as readonly Operation[];

/** Every operation of `/v1`. */
export const operations: readonly Operation[] = [...storeOperations, ...(testStoreOperations as readonly Operation[])];
