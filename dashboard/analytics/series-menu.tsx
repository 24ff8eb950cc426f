import { Button, Checkbox, Popover, Stack } from "@mantine/core";
import { useState } from "react";
import { IconSeries } from "./icons.tsx";
import { allSeries, type SeriesName, standardSeries } from "./series.ts";

/** Selects the figures that the chart draws; at least one. */
export function SeriesMenu({
  chosen,
  onChange,
}: {
  chosen: readonly SeriesName[];
  onChange: (names: SeriesName[]) => void;
}) {
  const [opened, setOpened] = useState(false);
  const choose = (names: readonly string[]) => {
    const known = allSeries.filter(({ name }) => names.includes(name)).map(({ name }) => name);
    onChange(known.length > 0 ? known : [...standardSeries]);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<IconSeries />}
          onClick={() => setOpened(!opened)}
        >
          {`Series (${chosen.length})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Series of the chart">
        <Checkbox.Group value={[...chosen]} onChange={choose} aria-label="Series of the chart">
          <Stack gap={6} mah={380} style={{ overflowY: "auto" }}>
            {allSeries.map(({ name, label }) => (
              <Checkbox key={name} value={name} label={label} size="sm" />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
