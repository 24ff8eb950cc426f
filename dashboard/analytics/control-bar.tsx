import { Group, Text } from "@mantine/core";
import { ProblemNote } from "../ui/problem-note.tsx";
import { plusDays } from "./days.ts";
import { FilterMenu } from "./filter-menu.tsx";
import { FreshnessLine } from "./freshness.tsx";
import { RangePicker } from "./range-picker.tsx";
import type { AnalyticsSearch } from "./url-state.ts";
import type { ChangeSearch } from "./use-analytics-search.ts";
import type { Shown } from "./use-compared.ts";

export interface ControlBarProps {
  quizId: string | null;
  search: AnalyticsSearch;
  setSearch: ChangeSearch;
  zone: string;
  shown: Shown | null;
}

/** Days, comparison and filters for all charts below, and how fresh the figures are. */
export function ControlBar({ shown, ...props }: ControlBarProps) {
  const { freshness, beforeFailed } = shown ?? {};
  return (
    <>
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <RangePicker
            {...props}
            shown={shown ? { from: shown.range.start, to: shown.range.end } : null}
            // each answer names the last complete day in the store's zone
            today={freshness ? plusDays(freshness.closed_days_through, 1) : null}
          />
          <FilterMenu {...props} />
        </Group>
        <FreshnessLine freshness={freshness} />
      </Group>
      {beforeFailed ? (
        <div data-before-failed>
          <Text size="sm">The figures of the period before could not be fetched.</Text>
          <ProblemNote {...beforeFailed} />
        </div>
      ) : null}
    </>
  );
}
