import { Checkbox, TextInput } from "@mantine/core";
import { daysFromToday } from "../../../engine/kinds/date-limits.ts";
import { NumberBox } from "../../ui/number-box.tsx";
import { useFinding, useReadOnly, useSet, useValue } from "../context.tsx";
import type { Path } from "../document/change.ts";
import { componentPath, type Place } from "../document/edits.ts";
import { saidOf } from "../document/finding-words.ts";
import { FlagField, fieldName, NativeField } from "./fields.tsx";

/** The fields of a date question: which days and times it takes [editor.date-limits]. */
export function DateFields({ place }: { place: Place }) {
  const at = componentPath(place);
  const withTime = useValue<boolean>([...at, "with_time"]);
  return (
    <>
      <BoundField path={[...at, "min"]} label="Earliest day" />
      <BoundField path={[...at, "max"]} label="Latest day" />
      <WeekdaysField path={[...at, "weekdays"]} />
      <FlagField path={[...at, "with_time"]} label="Asks for a time, too" />
      {withTime && (
        <div className="qs-ed-pair">
          <PickField path={[...at, "time_from"]} label="Earliest time" type="time" />
          <PickField path={[...at, "time_to"]} label="Latest time" type="time" />
        </div>
      )}
    </>
  );
}

const boundKinds = [
  { value: "none", label: "Any" },
  { value: "day", label: "A certain day" },
  { value: "today", label: "Today" },
  { value: "after", label: "Days after today" },
  { value: "before", label: "Days before today" },
];

/** What a bound that was just chosen begins with. */
const firstBound = (kind: string): string | undefined => {
  if (kind === "day") return new Date().toISOString().slice(0, 10);
  if (kind === "today") return "today";
  if (kind === "after") return "today+1d";
  return kind === "before" ? "today-1d" : undefined;
};

function kindOfBound(bound: string | null): string {
  if (bound === null) return "none";
  if (bound === "today") return "today";
  if (daysFromToday(bound) === null) return "day";
  return bound.includes("-") ? "before" : "after";
}

/** The earliest or latest day: a certain one, or one counted from the day on which a shopper answers. */
function BoundField({ path, label }: { path: Path; label: string }) {
  const bound = useValue<string | null | undefined>(path) ?? null;
  const set = useSet(path, `change ${label.toLowerCase()}`);
  const finding = useFinding(path);
  const readOnly = useReadOnly();
  const kind = kindOfBound(bound);
  const days = Math.abs(daysFromToday(bound ?? "") ?? 0);
  const isCounted = kind === "after" || kind === "before";
  const said = finding ? saidOf(finding) : undefined;
  const sign = kind === "before" ? "-" : "+";
  return (
    <div className="qs-ed-pair" data-field={fieldName(path)} tabIndex={-1}>
      <NativeField
        label={label}
        value={kind}
        data={boundKinds}
        disabled={readOnly}
        error={isCounted || kind === "day" ? undefined : said}
        onChange={(next) => set(firstBound(next))}
      />
      {kind === "day" && <PickField path={path} label={`${label}: date`} type="date" />}
      {isCounted && (
        <NumberBox
          label={`${label}: days`}
          value={days}
          form="integer"
          error={said}
          readOnly={readOnly}
          onNumber={(number) => set(`today${sign}${Math.abs(number)}d`)}
        />
      )}
    </div>
  );
}

/** A day or time, by the browser's own field; empty is no bound. */
function PickField({ path, label, type }: { path: Path; label: string; type: "date" | "time" }) {
  const value = useValue<string | null | undefined>(path);
  const set = useSet(path, `change ${label.toLowerCase()}`);
  const finding = useFinding(path);
  const readOnly = useReadOnly();
  return (
    <TextInput
      label={label}
      type={type}
      data-field={fieldName(path)}
      value={value ?? ""}
      readOnly={readOnly}
      error={finding ? saidOf(finding) : undefined}
      onChange={(event) => set(event.currentTarget.value || undefined)}
    />
  );
}

const weekdayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

function WeekdaysField({ path }: { path: Path }) {
  const weekdays = useValue<number[] | null | undefined>(path);
  const set = useSet(path, "change weekdays");
  const finding = useFinding(path);
  const readOnly = useReadOnly();
  const isOn = (day: number) => weekdays?.includes(day) ?? true;
  const toggle = (day: number): void => {
    const next = [1, 2, 3, 4, 5, 6, 7].filter((each) => isOn(each) !== (each === day));
    set(next.length === 7 ? undefined : next);
  };
  return (
    <Checkbox.Group
      label="Weekdays"
      value={[1, 2, 3, 4, 5, 6, 7].filter(isOn).map(String)}
      error={finding ? saidOf(finding) : undefined}
      data-field={fieldName(path)}
    >
      <div className="qs-ed-options">
        {weekdayNames.map((name, index) => (
          <Checkbox
            key={name}
            label={name}
            value={String(index + 1)}
            disabled={readOnly}
            onChange={() => toggle(index + 1)}
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}
