import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { ProblemError, searchProfiles } from "../../client/src/index.ts";
import type { FieldError } from "../../contract/errors.ts";
import type { ProfileSearch } from "../../contract/search.ts";
import { ParamsLink } from "../app/address.tsx";
import { useApi } from "../app/api.ts";
import { useMember } from "../app/session.ts";
import { AskExport } from "../exports/ask-export.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { ListSkeleton } from "../ui/skeletons.tsx";
import { useFormat } from "../ui/use-format.ts";
import { filtersOfSearch } from "./list-filters.ts";
import { moreOf } from "./more.ts";
import { NoContacts } from "./no-contacts.tsx";
import { PeopleTable } from "./people-table.tsx";
import { SearchBuilder } from "./search-builder.tsx";
import { SearchCallButton } from "./search-call-button.tsx";
import { searchProblems } from "./search-problems.ts";
import { type SearchState, writeWholeBody } from "./search-state.ts";
import { useSearchState } from "./use-search-state.ts";

/** Finds people by their answers; the whole search is in the address. */
export function SearchScreen() {
  const { contacts } = useMember();
  return contacts ? <SearchContents /> : <NoContacts />;
}

function SearchContents() {
  const { state, unreadable, change } = useSearchState();
  // people are counted once the search has not changed for a moment [dashboard-people.total]
  const [settled] = useDebouncedValue(state, 400);
  const problems = searchProblems(settled);
  const body = problems.length === 0 ? writeWholeBody(settled) : null;
  const found = useFound(body);
  const refused = found.error instanceof ProblemError ? found.error : null;
  const errors = body === null ? [] : (refused?.errors ?? []);
  return (
    <Page
      title="Search people"
      description="Everybody who matches, by what is known of them and what they answered. Copy the link to keep a search or send it to somebody."
      back={{ to: "/profiles", label: "People" }}
      actions={<Actions state={state} body={body} />}
    >
      <Stack gap="lg">
        {unreadable && (
          <Alert color="yellow" title="This link holds no search that can be read">
            It may have been cut off on its way. Begin a new one here.
          </Alert>
        )}
        <SearchBuilder
          state={state}
          change={change}
          problems={problems}
          errors={errors}
          // hide counts that belong to another search
          counts={state === settled && !found.isPlaceholderData ? found.data?.pages[0]?.explain?.groups : undefined}
        />
        <Found found={found} body={body} waiting={problems.length > 0} errors={errors} />
      </Stack>
    </Page>
  );
}

function useFound(body: ProfileSearch | null) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ["people-search", body],
    enabled: body !== null,
    placeholderData: keepPreviousData,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      searchProfiles(
        api,
        {
          body: body ?? {},
          query: {
            limit: 50,
            // only with the first page: explaining takes as long as the search itself
            ...(pageParam === null && body?.groups && body.groups.length > 0 ? { explain: true } : {}),
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        },
        { signal },
      ),
    getNextPageParam: (page) => page.next_cursor,
  });
}

function Actions({ state, body }: { state: SearchState; body: ProfileSearch | null }) {
  return (
    <Group gap="sm">
      <CopyButton value={window.location.href} label="Copy link" size="sm" />
      <Button component={ParamsLink} to="/profiles" params={filtersOfSearch(state)} variant="default">
        Back to the list
      </Button>
      {body !== null && <SearchCallButton body={body} />}
      {body !== null && <AskExport dataset="profiles" filters={{ search: body }} />}
    </Group>
  );
}

interface FoundProps {
  found: ReturnType<typeof useFound>;
  body: ProfileSearch | null;
  /** the search is incomplete */
  waiting: boolean;
  errors: readonly FieldError[];
}

function Found({ found, body, waiting, errors }: FoundProps) {
  const [first] = found.data?.pages ?? [];
  const people = found.data?.pages.flatMap((page) => page.data);
  if (waiting) {
    return (
      <Text role="status" c="dimmed">
        Fill in the marked fields to see who fits.
      </Text>
    );
  }
  return (
    <Stack gap="sm" style={{ opacity: found.isPlaceholderData ? 0.6 : 1 }}>
      {found.isError && <Refused found={found} body={body} errors={errors} />}
      {(first !== undefined || !found.isError) && <Total first={first} />}
      {people === undefined && !found.isError && <ListSkeleton />}
      {people !== undefined && (
        <PeopleTable
          label="Matching people, last seen first"
          people={people}
          more={moreOf(found)}
          empty={<EmptyState title="Nobody matches" text="Take a condition away, or allow another answer." />}
        />
      )}
    </Stack>
  );
}

/** The API's field errors show at their fields; a search that takes too long can be exported as a file. */
function Refused({ found, body, errors }: Pick<FoundProps, "found" | "body" | "errors">) {
  const tooLong = found.error instanceof ProblemError && found.error.problem.export !== undefined;
  return (
    <Stack gap="sm">
      <ProblemNote error={found.error} {...(errors.length > 0 ? {} : { retry: () => void found.refetch() })} />
      {tooLong && body !== null && (
        <Group gap="sm">
          <Text>This search takes too long to show here. Its people can be had as a file.</Text>
          <AskExport dataset="profiles" filters={{ search: body }} />
        </Group>
      )}
    </Stack>
  );
}

function Total({ first }: { first: { total: number; total_capped: boolean; returning_total: number } | undefined }) {
  const format = useFormat();
  const text =
    first === undefined
      ? "Counting…"
      : `${first.total_capped ? "More than " : ""}${format.number(first.total)} ${first.total === 1 ? "person" : "people"}, ${format.number(first.returning_total)} of them returning`;
  return (
    <Text role="status" fw={600} size="lg">
      {text}
    </Text>
  );
}
