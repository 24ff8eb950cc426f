import { ActionIcon, Button, Group, Pill, Popover, Select, Stack } from "@mantine/core";
import { useState } from "react";
import { type FilterName, filterNames, filters, isFilterValue, valuesOf } from "../../contract/analytics-filters.ts";
import { countryName, regionName } from "./countries.ts";
import { IconFilter } from "./icons.tsx";
import { breakdownOf } from "./questions.ts";
import type { AnalyticsSearch } from "./url-state.ts";
import type { ChangeSearch } from "./use-analytics-search.ts";
import { useQuestion } from "./use-question.ts";

export interface FilterMenuProps {
  quizId: string | null;
  search: AnalyticsSearch;
  setSearch: ChangeSearch;
  zone: string;
}

/** All filters of the API; active ones are shown next to the button and are removed with a click. */
export function FilterMenu(props: FilterMenuProps) {
  const { search, setSearch } = props;
  const [opened, setOpened] = useState(false);
  const inForce = filterNames.filter((name) => search[name] !== undefined);
  const set = (name: FilterName, value: string | null) => setSearch(withFilter(search, name, value));
  return (
    <Group gap="xs">
      <Popover opened={opened} onChange={setOpened} position="bottom-start" shadow="md" trapFocus returnFocus>
        <Popover.Target>
          <Button variant="default" leftSection={<IconFilter />} onClick={() => setOpened(!opened)}>
            {inForce.length > 0 ? `Filter (${inForce.length})` : "Filter"}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label="Filters">
          <Choices {...props} set={set} />
        </Popover.Dropdown>
      </Popover>
      {inForce.map((name) => (
        <Pill
          key={name}
          size="lg"
          withRemoveButton
          onRemove={() => set(name, null)}
          removeButtonProps={{
            "aria-label": `Remove the filter ${filters[name].label}`,
            "aria-hidden": false,
            tabIndex: 0,
          }}
          data-filter={name}
        >
          {filters[name].label}: {valueText(name, search[name] ?? "")}
        </Pill>
      ))}
      {inForce.length > 1 ? (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Remove all filters"
          onClick={() =>
            setSearch(inForce.reduce<AnalyticsSearch>((left, name) => withFilter(left, name, null), search))
          }
        >
          ×
        </ActionIcon>
      ) : null}
    </Group>
  );
}

function withFilter(search: AnalyticsSearch, name: FilterName, value: string | null): AnalyticsSearch {
  const { [name]: _, offset: __, ...rest } = search;
  return value !== null && isFilterValue(name, value) ? { ...rest, [name]: value } : rest;
}

const words: Readonly<Record<string, string>> = {
  desktop: "Desktop",
  mobile: "Mobile",
  tablet: "Tablet",
  other: "Other",
  new: "New",
  returning: "Returning",
  unknown: "Unknown",
};

/** The name of a filter's value on the screen. */
export function valueText(name: string, value: string): string {
  if (name === "country" && value !== "unknown") return countryName(value);
  if (name === "region" && value !== "unknown") return regionName(value);
  return name === "channel" ? value : (words[value] ?? value);
}

type ChoicesProps = FilterMenuProps & { set: (name: FilterName, value: string | null) => void };

const Choices = (props: ChoicesProps) => (
  <Stack gap="xs" w={240}>
    {filterNames.map((name) => (
      <Choice key={name} {...props} name={name} />
    ))}
  </Stack>
);

/** Without few values of its own, a filter lists those that the store has figures for, whatever the filters are. */
function Choice({ quizId, search, zone, set, name }: ChoicesProps & { name: FilterName }) {
  const days = { tz: zone, ...(search.from && search.to ? { from: search.from, to: search.to } : {}) };
  const own = valuesOf(name);
  const found = useQuestion(breakdownOf(quizId, days, name), { enabled: own === null });
  const seen = own ?? found.data?.rows.map(({ value }) => value) ?? [];
  const chosen = search[name] ?? null;
  const values = chosen === null || seen.includes(chosen) ? seen : [chosen, ...seen];
  const { label } = filters[name];
  return (
    <Select
      label={label}
      placeholder="All"
      clearable
      openOnFocus={false}
      searchable={own === null}
      nothingFoundMessage="No matches in this period"
      data={values.map((value) => ({ value, label: valueText(name, value) }))}
      value={chosen}
      onChange={(value) => set(name, value)}
      comboboxProps={{ withinPortal: false }}
      clearButtonProps={{ "aria-label": `Clear ${label}` }}
    />
  );
}
