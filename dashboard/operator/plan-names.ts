import type { OperatedStore } from "../api/generated.ts";

type Plan = OperatedStore["plan"];

export const planNames: Readonly<Record<Plan, string>> = { plus: "Plus", enterprise: "Enterprise", other: "Paused" };

export const planOptions: { value: Plan; label: string }[] = [
  { value: "plus", label: planNames.plus },
  { value: "enterprise", label: planNames.enterprise },
  { value: "other", label: planNames.other },
];
