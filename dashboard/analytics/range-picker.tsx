import "./figures.css";
import { Button, Group, NavLink, Popover, Skeleton, Stack, Switch } from "@mantine/core";
import { Suspense, useState } from "react";
import { latePart } from "../app/late.tsx";
import { clampRange, type Days, presetOf, presetRange, presets } from "./days.ts";
import { dayText } from "./figure-text.ts";
import { IconCalendar } from "./icons.tsx";
import type { AnalyticsSearch } from "./url-state.ts";
import type { ChangeSearch } from "./use-analytics-search.ts";

const RangeCalendar = latePart(() => import("./range-calendar.tsx"), "RangeCalendar");

export interface RangePickerProps {
  search: AnalyticsSearch;
  setSearch: ChangeSearch;
  /** the days of the displayed answer; null before the first answer */
  shown: Days | null;
  /** in the store's zone, according to the server */
  today: string | null;
  zone: string;
  /** false: this screen has no comparison */
  canCompare?: boolean;
}

/** Picks days in the store's zone: presets, custom days, and whether to compare with the previous period. */
export function RangePicker({ search, setSearch, shown, today, zone, canCompare = true }: RangePickerProps) {
  const [opened, setOpened] = useState(false);
  const range = search.from && search.to ? { from: search.from, to: search.to } : shown;
  const choose = (chosen: Days) => {
    if (today === null) return;
    setSearch({ ...search, ...clampRange(chosen, today) });
    setOpened(false);
  };
  return (
    <Group gap="sm">
      <Popover
        opened={opened}
        onChange={setOpened}
        position="bottom-start"
        shadow="md"
        trapFocus
        returnFocus
        withinPortal
      >
        <Popover.Target>
          <Button
            variant="default"
            leftSection={<IconCalendar />}
            onClick={() => setOpened(!opened)}
            aria-label={`Days: ${range ? rangeText(range, today) : "loading"}`}
            data-range={range ? `${range.from}/${range.to}` : ""}
            className="qs-range-button"
          >
            {range ? rangeText(range, today) : <Skeleton width={180} height={14} />}
          </Button>
        </Popover.Target>
        <Popover.Dropdown p="xs" aria-label="Choose days">
          <div className="qs-range">
            <Stack gap={0} className="qs-range-presets">
              {presets.map(({ name, label }) => (
                <NavLink
                  key={name}
                  component="button"
                  type="button"
                  label={label}
                  disabled={today === null}
                  active={range !== null && today !== null && presetOf(range, today) === name}
                  onClick={() => today !== null && choose(presetRange(name, today))}
                />
              ))}
            </Stack>
            {today === null ? null : (
              <Suspense fallback={<Skeleton width={260} height={300} />}>
                <RangeCalendar range={range} today={today} zone={zone} onChoose={choose} />
              </Suspense>
            )}
          </div>
        </Popover.Dropdown>
      </Popover>
      {canCompare && (
        <Switch
          label="Compare with the period before"
          checked={search.compare === "previous"}
          onChange={({ currentTarget }) => setSearch(withCompare(search, currentTarget.checked))}
        />
      )}
    </Group>
  );
}

function withCompare({ compare: _, ...search }: AnalyticsSearch, compares: boolean): AnalyticsSearch {
  return compares ? { ...search, compare: "previous" } : search;
}

function rangeText(range: Days, today: string | null): string {
  const preset = today === null ? null : presetOf(range, today);
  const label = presets.find(({ name }) => name === preset)?.label;
  const days = range.from === range.to ? dayText(range.from) : `${dayText(range.from)} – ${dayText(range.to)}`;
  return label ? `${label}: ${days}` : days;
}
