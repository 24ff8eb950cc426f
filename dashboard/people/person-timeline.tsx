import { Button, Group, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getProfileTimeline, type TimelineEntry } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { ProblemNote } from "../ui/problem-note.tsx";
import { ListSkeleton } from "../ui/skeletons.tsx";
import { useFormat } from "../ui/use-format.ts";
import { When } from "../ui/when.tsx";
import { Part } from "./person-parts.tsx";
import { entryWords, visitsOf } from "./timeline-words.ts";
import "./people.css";

/**
 * What the person did, newest first: visits with their answers and products, and orders between them
 * [dashboard-people.timeline].
 */
export function PersonTimeline({ profileId }: { profileId: string }) {
  const api = useApi();
  const list = useInfiniteQuery({
    queryKey: ["person-timeline", profileId],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      getProfileTimeline(
        api,
        { path: { profile_id: profileId }, query: pageParam === null ? {} : { cursor: pageParam } },
        { signal },
      ),
    getNextPageParam: (page) => page.next_cursor,
  });
  const visits = visitsOf(list.data?.pages.flatMap((page) => page.data) ?? []);
  return (
    <Part title="Timeline">
      {list.isPending && <ListSkeleton />}
      {list.isError && <ProblemNote error={list.error} retry={() => list.refetch()} />}
      {list.data !== undefined && visits.length === 0 && <Text c="dimmed">Nothing is known of what they did.</Text>}
      <Stack gap="md">
        {visits.map(({ key, entries }) => (
          <Visit key={key} entries={entries} />
        ))}
      </Stack>
      {list.hasNextPage && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show earlier
          </Button>
        </Group>
      )}
    </Part>
  );
}

function Visit({ entries }: { entries: TimelineEntry[] }) {
  const oldest = entries.at(-1);
  return (
    <ol
      className="qs-card qs-visit"
      aria-label={oldest?.kind === "order" ? "Order" : `Visit: ${oldest?.quiz_name ?? ""}`}
    >
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
    </ol>
  );
}

function Entry({ entry }: { entry: TimelineEntry }) {
  const format = useFormat();
  const { title, lines } = entryWords(entry);
  const isMain = entry.kind !== "page";
  return (
    <li className="qs-entry" data-kind={entry.kind}>
      <div className="qs-entry-line">
        <div>
          <Text size="sm" fw={isMain ? 500 : 400} {...(isMain ? {} : { c: "dimmed" })} className="qs-name">
            {title}
            {entry.order !== null && `, ${format.money(entry.order.amount)}`}
          </Text>
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be alike, and none moves
            <Text key={index} size="sm" className="qs-name">
              {line}
            </Text>
          ))}
        </div>
        <Text size="sm" c="dimmed">
          <When at={entry.at} />
        </Text>
      </div>
    </li>
  );
}
