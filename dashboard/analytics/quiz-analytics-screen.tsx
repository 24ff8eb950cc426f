import { Button, Group, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { memo, useDeferredValue, useMemo, useState } from "react";
import { getQuiz } from "../../client/src/index.ts";
import { useApi } from "../app/api.ts";
import { useFetchedWhenIdle } from "../app/late.tsx";
import { may, useMember } from "../app/session.ts";
import { AskExport } from "../exports/ask-export.tsx";
import { Page } from "../ui/page.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { AnswersTab } from "./answers-tab.tsx";
import { ControlBar } from "./control-bar.tsx";
import { PendingNote } from "./freshness.tsx";
import { FunnelTab } from "./funnel-tab.tsx";
import { quizPictures } from "./late-pictures.ts";
import { OverviewTab } from "./overview-tab.tsx";
import { PathsTab } from "./paths-tab.tsx";
import { ProductsTab } from "./products-tab.tsx";
import { BreakdownTab, TrafficTab } from "./split-tabs.tsx";
import { oneOf, onTab, type Tab, tabs } from "./url-state.ts";
import { useAnalyticsSearch } from "./use-analytics-search.ts";
import { exportFilters, type Shown, type TabProps } from "./use-compared.ts";

const tabLabels: Readonly<Record<Tab, string>> = {
  overview: "Overview",
  funnel: "Funnel",
  paths: "Paths",
  answers: "Answers",
  products: "Products",
  traffic: "Traffic",
  breakdown: "Breakdown",
};

/** All analytics of one quiz; the address holds the tab, the days and the filters. */
export function QuizAnalyticsScreen() {
  const { quizId } = useParams({ strict: false }) as { quizId: string };
  return <QuizAnalytics key={quizId} quizId={quizId} />;
}

function QuizAnalytics({ quizId }: { quizId: string }) {
  const api = useApi();
  const member = useMember();
  const { store } = member;
  const { search, setSearch } = useAnalyticsSearch();
  const [shown, setShown] = useState<Shown | null>(null);
  useFetchedWhenIdle(shown !== null, quizPictures);
  const quiz = useQuery({
    queryKey: ["quiz", quizId],
    queryFn: ({ signal }) => getQuiz(api, { path: { quiz_id: quizId } }, { signal }),
  });
  const tab = oneOf(tabs, search.tab) ?? "overview";
  const name = quiz.data?.name ?? "Quiz";
  // the control responds at once [dashboard-figures.quick]; the slower rendering is deferred, and the next click
  // interrupts it
  const followed = useDeferredValue(search);
  const props = useMemo(
    () => ({ quizId, search: followed, setSearch, zone: store.timezone, subject: name, onShown: setShown }),
    [quizId, followed, setSearch, store.timezone, name],
  );
  return (
    <Page
      title={name}
      isName
      back={{ to: "/quizzes", label: "Quizzes" }}
      actions={
        <Group gap="xs">
          <AskExport dataset="quiz_analytics" filters={exportFilters(shown, quizId)} />
          {may(member, "quizzes:write") ? (
            <Button variant="default" component={Link} to={`/quizzes/${quizId}/edit`}>
              Edit quiz
            </Button>
          ) : null}
        </Group>
      }
    >
      {quiz.error ? (
        <ProblemNote error={quiz.error} retry={() => void quiz.refetch()} />
      ) : (
        <Stack>
          <ControlBar quizId={quizId} search={search} setSearch={setSearch} zone={store.timezone} shown={shown} />
          <PendingNote freshness={shown?.freshness} />
          <Tabs value={tab} onChange={(next) => next !== null && setSearch(onTab(search, next))} keepMounted={false}>
            <Tabs.List mb="md">
              {tabs.map((value) => (
                <Tabs.Tab key={value} value={value}>
                  {tabLabels[value]}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value={tab} aria-busy={followed !== search}>
              <Picture tab={oneOf(tabs, followed.tab) ?? "overview"} props={props} />
            </Tabs.Panel>
          </Tabs>
        </Stack>
      )}
    </Page>
  );
}

const Picture = memo(({ tab, props }: { tab: Tab; props: TabProps & { quizId: string } }) => {
  if (tab === "funnel") return <FunnelTab {...props} />;
  if (tab === "paths") return <PathsTab {...props} />;
  if (tab === "answers") return <AnswersTab {...props} />;
  if (tab === "products") return <ProductsTab {...props} />;
  if (tab === "traffic") return <TrafficTab {...props} />;
  if (tab === "breakdown") return <BreakdownTab {...props} />;
  return <OverviewTab {...props} />;
});
