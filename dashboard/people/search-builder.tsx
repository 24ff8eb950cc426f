import { Button, Fieldset, Group, NativeSelect, Paper, Stack, Text } from "@mantine/core";
import type { FieldError } from "../../contract/errors.ts";
import { type MatchMode, searchLimits } from "../../contract/search-terms.ts";
import { useFormat } from "../ui/use-format.ts";
import { filtersInSearch, filtersOfSearch, type PeopleFilters } from "./list-filters.ts";
import { PersonFilters } from "./person-filters.tsx";
import { addAlternative, addGroup, addSlot, changeTerm, removeGroup, removeTerm } from "./search-edit.ts";
import { problemAt } from "./search-problems.ts";
import { type GroupState, personFlags, type SearchState, type SlotState } from "./search-state.ts";
import { TermRow } from "./term-row.tsx";
import { useQuizzes } from "./use-quizzes.ts";

interface Props {
  state: SearchState;
  change: (edit: (state: SearchState) => SearchState) => void;
  /** conditions that are incomplete */
  problems: readonly FieldError[];
  /** what the API refused */
  errors: readonly FieldError[];
  /** how many people each group and slot matches by itself; undefined until known */
  counts: Counts | undefined;
}

type Counts = readonly { people: number; all: readonly { people: number }[] }[];

export function SearchBuilder({ state, change, problems, errors, counts }: Props) {
  const all = [...errors, ...problems];
  const { data: quizzes = [] } = useQuizzes();
  const onlyQuiz = quizzes.length === 1 ? (quizzes[0]?.id ?? null) : null;
  const groups = state.groups ?? [];
  const setFilters = (filters: PeopleFilters) => change((before) => filtersInSearch(before, filters));
  const at = (field: string) => problemAt(all, `body.${field}`);
  const filterProblems = Object.fromEntries(["from", "to", "quiz_id", ...personFlags].map((name) => [name, at(name)]));
  const groupsProblem = all.find(({ field }) => field === "body.groups");
  return (
    <Stack gap="md">
      <PersonFilters filters={filtersOfSearch(state)} onChange={setFilters} problems={filterProblems} />
      {groups.map((group, index) => (
        <Stack key={group.id} gap="md">
          {index > 0 && <Between word="or" />}
          <GroupBox
            group={group}
            index={index}
            change={change}
            problems={all}
            only={groups.length === 1}
            counts={counts?.[index]}
          />
        </Stack>
      ))}
      {groupsProblem !== undefined && <FieldProblem text={groupsProblem.message} />}
      <Group justify="space-between" align="end" gap="sm">
        <Button
          variant="light"
          disabled={groups.length >= searchLimits.groups}
          onClick={() => change((before) => addGroup(before, onlyQuiz))}
        >
          {groups.length === 0 ? "Add a condition about answers" : "Or: add another group"}
        </Button>
        {groups.length > 0 && <MatchSelect state={state} change={change} error={at("match")} />}
      </Group>
    </Stack>
  );
}

interface MatchProps extends Pick<Props, "state" | "change"> {
  error: string | null;
}

function MatchSelect({ state, change, error }: MatchProps) {
  return (
    <NativeSelect
      label="Which attempts at a quiz count"
      value={state.match ?? "any_session"}
      error={error}
      onChange={(event) => {
        const match = event.currentTarget.value as MatchMode;
        change((before) => ({ ...before, match: match === "any_session" ? null : match }));
      }}
      data={[
        { value: "any_session", label: "Any time they took it" },
        { value: "latest_completed_per_quiz", label: "Only the last time they finished it" },
      ]}
    />
  );
}

interface GroupProps {
  group: GroupState;
  index: number;
  change: Props["change"];
  problems: readonly FieldError[];
  /** whether it is the only group */
  only: boolean;
  counts: Counts[number] | undefined;
}

function GroupBox({ group, index, change, problems, only, counts }: GroupProps) {
  const path = `body.groups.${index}.all`;
  const own = problems.find(({ field }) => field === path);
  return (
    <Fieldset legend={only ? "All of these hold" : `Group ${index + 1}: all of these hold`} p="md">
      <Stack gap="sm">
        {group.slots.map((slot, place) => (
          <Stack key={slot.id} gap="sm">
            {place > 0 && <Between word="and" />}
            <SlotBox
              slot={slot}
              path={`${path}.${place}`}
              change={change}
              problems={problems}
              people={counts?.all[place]?.people}
            />
          </Stack>
        ))}
        {own !== undefined && <FieldProblem text={own.message} />}
        <Group gap="sm">
          <Button
            size="compact-sm"
            variant="light"
            disabled={group.slots.length >= searchLimits.slots}
            onClick={() => change((state) => addSlot(state, group.id))}
          >
            And: add a condition
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            onClick={() => change((state) => removeGroup(state, group.id))}
          >
            {only ? "Remove all conditions" : `Remove group ${index + 1}`}
          </Button>
          {!only && <PeopleCount people={counts?.people} what="in this group" />}
        </Group>
      </Stack>
    </Fieldset>
  );
}

interface SlotProps {
  slot: SlotState;
  path: string;
  change: Props["change"];
  problems: readonly FieldError[];
  /** how many people it matches by itself */
  people: number | undefined;
}

function SlotBox({ slot, path, change, problems, people }: SlotProps) {
  // the API's limit [dashboard-people.bounds]
  const full = slot.terms.length >= searchLimits.alternatives;
  const own = problems.find(({ field }) => field === `${path}.any`);
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        {slot.any && (
          <Text size="sm" fw={600}>
            At least one of these holds
          </Text>
        )}
        {slot.terms.map((term, index) => (
          <TermRow
            key={term.id}
            term={term}
            path={slot.any ? `${path}.any.${index}` : path}
            problems={problems}
            onChange={(edit) => change((state) => changeTerm(state, term.id, edit))}
            onRemove={() => change((state) => removeTerm(state, term.id))}
          />
        ))}
        {own !== undefined && <FieldProblem text={own.message} />}
        <Group>
          <Button
            size="compact-sm"
            variant="subtle"
            disabled={full}
            onClick={() => change((state) => addAlternative(state, slot.id))}
          >
            Or: add an alternative
          </Button>
          <PeopleCount people={people} what="by this alone" />
        </Group>
      </Stack>
    </Paper>
  );
}

function PeopleCount({ people, what }: { people: number | undefined; what: string }) {
  const format = useFormat();
  if (people === undefined) return null;
  return (
    <Text size="sm" c="dimmed">
      {format.number(people)} {people === 1 ? "person" : "people"} {what}
    </Text>
  );
}

const Between = ({ word }: { word: string }) => (
  <Text size="sm" fw={600} c="dimmed" tt="uppercase" ta="center">
    {word}
  </Text>
);

const FieldProblem = ({ text }: { text: string }) => (
  <Text size="sm" c="var(--mantine-color-error)" role="alert">
    {text}
  </Text>
);
