import { Button, Stack } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ControlBar } from "../analytics/control-bar.tsx";
import { PendingNote } from "../analytics/freshness.tsx";
import { QuizzesTab } from "../analytics/quizzes-tab.tsx";
import { useAnalyticsSearch } from "../analytics/use-analytics-search.ts";
import type { Shown } from "../analytics/use-compared.ts";
import { may, useMember } from "../app/session.ts";
import { Page } from "../ui/page.tsx";

/** The store's quizzes, searchable and sorted by revenue and other figures. */
export function QuizzesScreen() {
  const member = useMember();
  const { store } = member;
  const { search, setSearch } = useAnalyticsSearch();
  const [shown, setShown] = useState<Shown | null>(null);
  const make = may(member, "quizzes:write") ? (
    <Button component={Link} to="/quizzes/new">
      New quiz
    </Button>
  ) : null;
  return (
    <Page title="Quizzes" actions={make}>
      <Stack>
        <ControlBar quizId={null} search={search} setSearch={setSearch} zone={store.timezone} shown={shown} />
        <PendingNote freshness={shown?.freshness} />
        <QuizzesTab
          quizId={null}
          search={search}
          setSearch={setSearch}
          zone={store.timezone}
          subject={store.name}
          onShown={setShown}
          actions={make}
        />
      </Stack>
    </Page>
  );
}
