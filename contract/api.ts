import { analyticsOperations } from "./analytics.ts";
import { exportOperations } from "./exports.ts";
import type { Operation } from "./operation.ts";
import { profileOperations } from "./profiles.ts";
import { quizOperations } from "./quizzes.ts";
import { searchProfiles } from "./search.ts";
import { getStore } from "./store.ts";
import { webhookOperations } from "./webhooks.ts";

/** Every operation of `/v1`, in the order of the documentation. */
export const operations: readonly Operation[] = [
  getStore,
  ...quizOperations,
  ...analyticsOperations,
  ...profileOperations,
  searchProfiles,
  ...exportOperations,
  ...webhookOperations,
] as readonly Operation[];
