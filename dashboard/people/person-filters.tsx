import { NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { flagLabels, type PeopleFilters } from "./list-filters.ts";
import { QuizPicker } from "./quiz-picker.tsx";
import { type PersonFlag, personFlags } from "./search-state.ts";

interface Props {
  filters: PeopleFilters;
  onChange: (filters: PeopleFilters) => void;
  /** keyed by the filter's name */
  problems?: Partial<Record<keyof PeopleFilters, string | null>>;
}

/** Filters by facts about a person, shared by the list and the search. */
export function PersonFilters({ filters, onChange, problems = {} }: Props) {
  const set = <Name extends keyof PeopleFilters>(name: Name, value: PeopleFilters[Name] | null) => {
    const { [name]: _, ...others } = filters;
    onChange(value === null || value === "" ? others : { ...others, [name]: value });
  };
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" verticalSpacing="xs">
      <QuizPicker
        label="Took the quiz"
        placeholder="Any quiz"
        clearable
        value={filters.quiz_id ?? null}
        onChange={(quiz) => set("quiz_id", quiz)}
        error={problems.quiz_id}
      />
      {(["from", "to"] as const).map((day) => (
        <TextInput
          key={day}
          type="date"
          label={day === "from" ? "First day (UTC)" : "Last day (UTC)"}
          value={filters[day] ?? ""}
          onChange={(event) => set(day, event.currentTarget.value)}
          error={problems[day]}
        />
      ))}
      {personFlags.map((flag) => (
        <FlagSelect
          key={flag}
          flag={flag}
          value={filters[flag] ?? null}
          onChange={(value) => set(flag, value)}
          error={problems[flag] ?? null}
        />
      ))}
    </SimpleGrid>
  );
}

interface FlagProps {
  flag: PersonFlag;
  value: boolean | null;
  onChange: (value: boolean | null) => void;
  error: string | null;
}

function FlagSelect({ flag, value, onChange, error }: FlagProps) {
  const { label, yes, no } = flagLabels[flag];
  return (
    <NativeSelect
      label={label}
      value={value === null ? "" : String(value)}
      onChange={(event) => onChange(event.currentTarget.value === "" ? null : event.currentTarget.value === "true")}
      data={[
        { value: "", label: "All" },
        { value: "true", label: yes },
        { value: "false", label: no },
      ]}
      error={error}
    />
  );
}
