import { Badge, Progress, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getPlan, type StorePlan } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { planNames } from "../operator/plan-names.ts";
import { Card } from "../ui/card.tsx";
import { Facts } from "../ui/facts.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { type Format, useFormat } from "../ui/use-format.ts";
import { SettingsPage } from "./settings-page.tsx";

export function PlanScreen() {
  const api = useApi();
  const query = useQuery({ queryKey: ["plan"], queryFn: () => getPlan(api) });
  const format = useFormat();
  return (
    <SettingsPage title="Plan and credits">
      <QueryView query={query}>
        {(plan) => (
          <Stack maw="46rem">
            <CreditsCard plan={plan} />
            <Card title="Limits" side={<Badge variant="light">{planNames[plan.plan]}</Badge>}>
              <Facts facts={limitsOf(plan, format)} />
            </Card>
          </Stack>
        )}
      </QueryView>
    </SettingsPage>
  );
}

function CreditsCard({ plan }: { plan: StorePlan }) {
  const { number, percent, date } = useFormat();
  const { used, limit, threshold, overages_enabled: goesOn } = plan.credits;
  const share = limit === 0 ? 0 : Math.min(used / limit, 1);
  const colour = used >= limit ? "red" : used >= threshold ? "orange" : "leaf";
  return (
    <Card
      title="Credits"
      text={`One for each session that answers its first question; from ${date(plan.period.from)} to ${date(plan.period.to)}.`}
    >
      <Text size="xl" fw={650}>
        {number(used)} of {number(limit)}
      </Text>
      <Progress value={100 * share} color={colour} my="xs" aria-label={`${percent(share)} of the credits used`} />
      <Text size="sm" c="dimmed">
        {used >= threshold ? "The threshold is reached. " : `Home warns from ${number(threshold)} on. `}
        {goesOn
          ? "Quizzes go on past the limit, which may be charged."
          : "Quizzes go on past the limit, and nothing is charged for it."}
      </Text>
    </Card>
  );
}

const limitsOf = ({ limits, order_window_days: days }: StorePlan, { number }: Format) => [
  ["API, at once", `${number(limits.capacity)} units`] as const,
  ["API, sustained", `${number(limits.leak_per_second)} units a second`] as const,
  ["Figures are at most", `${number(limits.analytics_soft_ttl_seconds)} seconds old for API keys`] as const,
  ["Webhook endpoints", number(limits.webhook_endpoints)] as const,
  ["Webhook sends", `${number(limits.webhook_sends_per_second)} a second to one endpoint`] as const,
  ["An order counts for a quiz", `within ${number(days)} days`] as const,
];
