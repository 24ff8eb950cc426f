import { accountOperations } from "../accounts.ts";
import { approvalOperations } from "../approvals.ts";
import { catalogOperations } from "../catalog.ts";
import { editorOperations } from "../editor.ts";
import { memberOperations } from "../members.ts";
import type { DashboardTag, Operation } from "../operation.ts";
import { personalTokenOperations } from "../personal-tokens.ts";
import { quizHistoryOperations } from "../quiz-history.ts";
import { ruledPreviewOperations } from "../ruled-preview.ts";
import { deliveryOperations } from "./deliveries.ts";
import { homeOperations } from "./home.ts";
import { keyOperations } from "./keys.ts";
import { operatorOperations } from "./operator.ts";
import { settingsOperations } from "./settings.ts";
import { shopperOperations } from "./shoppers.ts";

/** All operations that the dashboard has beyond `/v1`, in the order of /dashboard/openapi.json. Add new ones here. */
export const dashboardOperations: readonly Operation[] = [
  ...accountOperations,
  ...personalTokenOperations,
  ...memberOperations,
  ...homeOperations,
  ...settingsOperations,
  ...editorOperations,
  ...quizHistoryOperations,
  ...approvalOperations,
  ...catalogOperations,
  ...ruledPreviewOperations,
  ...keyOperations,
  ...shopperOperations,
  ...deliveryOperations,
  ...operatorOperations,
] as readonly Operation[];

export const dashboardTags: Record<DashboardTag, string> = {
  "Signing in": "Who asks, by password, link or another service",
  Account: "The signed-in person",
  Members: "Who belongs to the store, who is invited, who did what",
  Home: "What needs attention, and which store has what",
  Settings: "The store's name, zone, plan and credits",
  Keys: "API keys",
  Commerce: "The commerce platform's connection",
  Editor: "Drafts, versions and previews of quizzes",
  Shoppers: "A person's timeline, data and erasure",
  Deliveries: "Webhooks beyond the public API: health, single deliveries and events",
  Operator: "All stores, for those who run the service",
};
