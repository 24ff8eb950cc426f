import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { DatePicker } from "@mantine/dates";
import "@mantine/dates/styles.layer.css";
import { useState } from "react";
import { type Days, isDay, plusDays, rangeDaysAtMost } from "./days.ts";

export interface RangeCalendarProps {
  range: Days | null;
  today: string;
  zone: string;
  onChoose: (range: Days) => void;
}

const ariaLabels = {
  nextMonth: "Next month",
  previousMonth: "Month before",
  nextYear: "Next year",
  previousYear: "Year before",
  nextDecade: "Next decade",
  previousDecade: "Decade before",
};

/** Picks any range of days, from a calendar or by typing. */
export function RangeCalendar({ range, today, zone, onChoose }: RangeCalendarProps) {
  const [ends, setEnds] = useState<[string | null, string | null]>([range?.from ?? null, range?.to ?? null]);
  const [from, to] = ends;
  const isComplete = isDay(from) && isDay(to) && from <= to && to <= today;
  const set = (place: 0 | 1, value: string) => setEnds(place === 0 ? [value, to] : [from, value]);
  return (
    <Stack gap="xs">
      <DatePicker
        type="range"
        allowSingleDateInRange
        hideOutsideDates
        ariaLabels={ariaLabels}
        value={[isDay(from) ? from : null, isDay(to) ? to : null]}
        onChange={setEnds}
        defaultDate={range?.to ?? today}
        maxDate={today}
        minDate={plusDays(today, -3660)}
      />
      <Group gap="xs" grow>
        <TextInput
          type="date"
          size="xs"
          label="First day"
          value={from ?? ""}
          max={today}
          onChange={(e) => set(0, e.currentTarget.value)}
        />
        <TextInput
          type="date"
          size="xs"
          label="Last day"
          value={to ?? ""}
          max={today}
          onChange={(e) => set(1, e.currentTarget.value)}
        />
      </Group>
      <Text size="xs" c="dimmed">
        Days in {zone}; {rangeDaysAtMost} at most.
      </Text>
      <Button size="xs" disabled={!isComplete} onClick={() => isComplete && onChoose({ from, to })}>
        Show these days
      </Button>
    </Stack>
  );
}
