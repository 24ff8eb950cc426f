import { Stack, Tabs } from "@mantine/core";
import { memo, useDeferredValue, useMemo, useState } from "react";
import { useMember } from "../app/session.ts";
import { AskExport } from "../exports/ask-export.tsx";
import { Page } from "../ui/page.tsx";
import { ControlBar } from "./control-bar.tsx";
import { PendingNote } from "./freshness.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { ProductsTab } from "./products-tab.tsx";
import { QuizzesTab } from "./quizzes-tab.tsx";
import { BreakdownTab } from "./split-tabs.tsx";
import { oneOf, onTab, type StoreTab, storeTabs } from "./url-state.ts";
import { useAnalyticsSearch } from "./use-analytics-search.ts";
import { exportFilters, type Shown, type TabProps } from "./use-compared.ts";

const tabLabels: Readonly<Record<StoreTab, string>> = {
  overview: "Overview",
  quizzes: "Quizzes",
  products: "Products",
  breakdown: "Breakdown",
};

/** All quizzes of the store together. */
export function StoreAnalyticsScreen() {
  const { store } = useMember();
  const { search, setSearch } = useAnalyticsSearch();
  const [shown, setShown] = useState<Shown | null>(null);
  const tab = oneOf(storeTabs, search.tab) ?? "overview";
  // the control responds at once; the slower rendering is deferred, and the next click interrupts it
  const followed = useDeferredValue(search);
  const props = useMemo(
    () => ({
      quizId: null,
      search: followed,
      setSearch,
      zone: store.timezone,
      subject: store.name,
      onShown: setShown,
    }),
    [followed, setSearch, store.timezone, store.name],
  );
  return (
    <Page
      title="Analytics"
      description="All quizzes of the store together."
      actions={<AskExport dataset="quiz_analytics" filters={exportFilters(shown, null)} />}
    >
      <Stack>
        <ControlBar quizId={null} search={search} setSearch={setSearch} zone={store.timezone} shown={shown} />
        <PendingNote freshness={shown?.freshness} />
        <Tabs value={tab} onChange={(next) => next !== null && setSearch(onTab(search, next))} keepMounted={false}>
          <Tabs.List mb="md">
            {storeTabs.map((value) => (
              <Tabs.Tab key={value} value={value}>
                {tabLabels[value]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab} aria-busy={followed !== search}>
            <Picture tab={oneOf(storeTabs, followed.tab) ?? "overview"} props={props} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Page>
  );
}

const Picture = memo(({ tab, props }: { tab: StoreTab; props: TabProps }) => {
  if (tab === "quizzes") return <QuizzesTab {...props} />;
  if (tab === "products") return <ProductsTab {...props} />;
  if (tab === "breakdown") return <BreakdownTab {...props} />;
  return <OverviewTab {...props} />;
});
