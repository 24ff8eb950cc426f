import { Button, Stack } from "@mantine/core";
import { FreshnessLine, PendingNote } from "../analytics/freshness.tsx";
import { summary } from "../analytics/questions.ts";
import { oneOf } from "../analytics/url-state.ts";
import { useQuestion } from "../analytics/use-question.ts";
import { useAddress } from "../app/address.tsx";
import { useMember } from "../app/session.ts";
import { Page } from "../ui/page.tsx";
import { AttentionList } from "./attention-list.tsx";
import { BestQuizzes } from "./best-quizzes.tsx";
import { SummaryTiles } from "./summary-tiles.tsx";
import "./home.css";

const periods = ["7d", "30d"] as const;
const labels = { "7d": "Last 7 days", "30d": "Last 30 days" } as const;

/** How the shop does today, and what needs attention. Updates while shoppers come in. */
export function HomeScreen() {
  const { store } = useMember();
  const { params, change } = useAddress();
  const period = oneOf(periods, params["period"]) ?? "7d";
  const question = summary(store.timezone, period);
  const query = useQuestion(question, { live: true });
  const setPeriod = (value: string) =>
    change({ ...params, period: value === "7d" ? undefined : value }, { push: true });
  return (
    <Page
      title="Home"
      actions={
        <Button.Group aria-label="How many days">
          {periods.map((choice) => (
            <Button
              key={choice}
              variant={choice === period ? "light" : "default"}
              aria-pressed={choice === period}
              onClick={() => setPeriod(choice)}
            >
              {labels[choice]}
            </Button>
          ))}
        </Button.Group>
      }
    >
      <Stack>
        <FreshnessLine freshness={query.data?.freshness} />
        <PendingNote freshness={query.data?.freshness} />
        <SummaryTiles question={question} query={query} store={store.name} />
        <div className="qs-home-columns">
          <BestQuizzes zone={store.timezone} range={query.data?.range ?? null} store={store.name} />
          <AttentionList />
        </div>
      </Stack>
    </Page>
  );
}
