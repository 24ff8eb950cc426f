import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { listProfiles } from "../../client/src/index.ts";
import { ParamsLink, useAddress } from "../app/address.tsx";
import { useApi } from "../app/api.ts";
import { useMember } from "../app/session.ts";
import { AskExport } from "../exports/ask-export.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { dayProblem, filtersInSearch, isFiltered, type PeopleFilters, readFilters } from "./list-filters.ts";
import { moreOf } from "./more.ts";
import { NoContacts } from "./no-contacts.tsx";
import { PeopleTable } from "./people-table.tsx";
import { PersonFilters } from "./person-filters.tsx";
import { placeSearch } from "./search-link.ts";
import { emptySearch, writeWholeBody } from "./search-state.ts";

/** Everybody who left a contact; the filters are in the address. */
export function PeopleScreen() {
  const { contacts } = useMember();
  return contacts ? <PeopleContents /> : <NoContacts />;
}

function PeopleContents() {
  const { params, change } = useAddress();
  const filters = readFilters(params);
  const problem = dayProblem(filters);
  const list = usePeople(filters, problem === null);
  const setFilters = (next: PeopleFilters) => change(next);
  return (
    <Page
      title="People"
      description="Everybody who left an email or a phone number."
      actions={<Actions filters={filters} />}
    >
      <Stack gap="md">
        <ContactSearch value={filters.q ?? ""} onChange={(q) => setFilters(withText(filters, q))} />
        <PersonFilters filters={filters} onChange={setFilters} problems={{ from: problem }} />
        {problem === null && (
          <QueryView query={list}>
            {({ pages }) => (
              <PeopleTable
                label="People, last seen first"
                people={pages.flatMap((page) => page.data)}
                more={moreOf(list)}
                empty={<NobodyFound filtered={isFiltered(filters)} clear={() => setFilters({})} />}
              />
            )}
          </QueryView>
        )}
      </Stack>
    </Page>
  );
}

function usePeople(filters: PeopleFilters, enabled: boolean) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ["people", filters],
    enabled,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      listProfiles(
        api,
        { query: { ...filters, limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) } },
        { signal },
      ),
    getNextPageParam: (page) => page.next_cursor,
  });
}

function withText({ q: _, ...others }: PeopleFilters, q: string): PeopleFilters {
  return q === "" ? others : { ...others, q };
}

/** Searches when typing has paused; follows the address when that changes, for instance by Back. */
function ContactSearch({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(value);
  const searched = useRef(value);
  const search = useDebouncedCallback((text: string) => {
    searched.current = text;
    onChange(text);
  }, 300);
  useEffect(() => {
    if (value === searched.current) return;
    searched.current = value;
    setTyped(value);
  }, [value]);
  return (
    <TextInput
      type="search"
      label="Email or phone"
      placeholder="Part of it is enough"
      maxLength={200}
      maw={480}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        search(event.currentTarget.value.trim());
      }}
    />
  );
}

/** A search and an export start with the list's filters, but without the typed contact, which only the list has. */
function Actions({ filters }: { filters: PeopleFilters }) {
  const search = filtersInSearch(emptySearch, filters);
  const { from, to, quiz_id, q, ...flags } = filters;
  return (
    <Group gap="sm">
      <Button
        component={ParamsLink}
        to="/profiles/search"
        params={{ search: placeSearch(search).search }}
        variant="default"
      >
        Search by answers
      </Button>
      <AskExport
        dataset="profiles"
        filters={
          Object.keys(flags).length === 0 ? { from, to, quiz_id, tz: "UTC" } : { search: writeWholeBody(search) }
        }
        {...(q === undefined ? {} : { notNarrowedBy: `“${q}”` })}
      />
    </Group>
  );
}

function NobodyFound({ filtered, clear }: { filtered: boolean; clear: () => void }) {
  return filtered ? (
    <EmptyState
      title="Nobody matches these filters"
      text="Take one away, or search by what people answered."
      action={
        <Button variant="default" onClick={clear}>
          Clear the filters
        </Button>
      }
    />
  ) : (
    <EmptyState
      title="Nobody has left a contact yet"
      text="People appear here when a shopper leaves an email or a phone number in a quiz. Ask for one on a page of a quiz, and publish it."
      action={
        <Button component={Link} to="/quizzes">
          Go to the quizzes
        </Button>
      }
    />
  );
}
