import { Button, Group } from "@mantine/core";
import { filterNames } from "../../contract/analytics-filters.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { presetRange } from "./days.ts";
import type { TabProps } from "./use-compared.ts";

/** Nothing happened in these days, or the filters match nothing: says what to do about it [dashboard-figures.empty]. */
export function EmptyDays({
  search,
  setSearch,
  today,
  what,
}: Pick<TabProps, "search" | "setSearch"> & { today: string; what: string }) {
  const isFiltered = filterNames.some((name) => search[name] !== undefined);
  const unfiltered = Object.fromEntries(
    Object.entries(search).filter(([name]) => !filterNames.some((filter) => filter === name)),
  );
  return (
    <EmptyState
      title={`No ${what} in these days`}
      text={
        isFiltered
          ? "The filters may leave nothing over."
          : "Look at a longer time, or come back when shoppers have been there."
      }
      action={
        <Group gap="xs" justify="center">
          {isFiltered ? (
            <Button variant="default" onClick={() => setSearch(unfiltered)}>
              Remove the filters
            </Button>
          ) : null}
          <Button variant="default" onClick={() => setSearch({ ...search, ...presetRange("365d", today) })}>
            Show the last 365 days
          </Button>
        </Group>
      }
    />
  );
}
