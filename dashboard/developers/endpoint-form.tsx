import { Checkbox, MultiSelect, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { EventTopic } from "../../contract/events.ts";
import { problemOf } from "../app/problems.ts";
import { may, useMember } from "../app/session.ts";
import { problemAt } from "../people/search-problems.ts";
import { shownAtOnce, useQuizzes } from "../people/use-quizzes.ts";
import { useKeptForm } from "../ui/form.ts";
import { FormButtons } from "../ui/form-buttons.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";
import { eventTopics, type EndpointForm as Form, formProblems, topicWords } from "./webhook-words.ts";

interface Props {
  /** identifies the form; what was typed is stored under it until it is saved or cancelled */
  name: string;
  initial: Form;
  verb: string;
  /** Resolves to whether it was saved; false if the password was required and not given. */
  save: (form: Form) => Promise<boolean>;
  cancel: () => void;
}

/** Settings of an endpoint, for adding and for changing one [dashboard-developers.endpoint-form]. */
export function EndpointForm({ name: formName, initial, verb, save, cancel }: Props) {
  const member = useMember();
  const { values: form, setValues, forget } = useKeptForm<Form>(formName, { initialValues: initial });
  const [tried, setTried] = useState(false);
  const { isSending, error, send } = useSending();
  const set = <Name extends keyof Form>(name: Name, value: Form[Name]) =>
    setValues((before) => ({ ...before, [name]: value }));
  const missing = formProblems(form);
  const errors = error === null ? [] : problemOf(error).errors;
  const at = (name: keyof Form) => (tried ? missing[name] : undefined) ?? problemAt(errors, `body.${name}`);
  const contacts = may(member, "profiles:read");
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (Object.keys(missing).length > 0) return;
        void send(async () => {
          if (await save(form)) forget();
        });
      }}
    >
      <Stack gap="md">
        <TextInput
          label="Address"
          description="A public https address that takes POST requests"
          type="url"
          inputMode="url"
          required
          maxLength={2048}
          data-autofocus
          dir="ltr"
          placeholder="https://example.com/hooks/quiz"
          value={form.url}
          error={at("url")}
          onChange={(event) => set("url", event.currentTarget.value)}
        />
        <TopicsField topics={form.topics} onChange={(topics) => set("topics", topics)} error={at("topics")} />
        <QuizzesField value={form.quiz_ids} onChange={(ids) => set("quiz_ids", ids)} error={at("quiz_ids")} />
        <Switch
          label="Send contacts"
          description={
            contacts
              ? "Emails and phone numbers are part of what is sent"
              : "Only owners may have emails and phone numbers sent"
          }
          disabled={!contacts && !form.include_pii}
          checked={form.include_pii}
          error={at("include_pii")}
          onChange={(event) => set("include_pii", event.currentTarget.checked)}
        />
        <TextInput
          label="Note"
          description="For you: what this address is for"
          maxLength={500}
          dir="auto"
          value={form.description}
          error={at("description")}
          onChange={(event) => set("description", event.currentTarget.value)}
        />
        {error !== null && <ProblemNote error={error} />}
        <FormButtons
          cancel={() => {
            forget();
            cancel();
          }}
          verb={verb}
          isSending={isSending}
        />
      </Stack>
    </form>
  );
}

interface TopicsProps {
  topics: EventTopic[];
  onChange: (topics: EventTopic[]) => void;
  error: string | null;
}

function TopicsField({ topics, onChange, error }: TopicsProps) {
  return (
    <Checkbox.Group
      label="Events"
      required
      value={topics}
      error={error}
      onChange={(value) => onChange(value as EventTopic[])}
    >
      <Stack gap="xs" mt="xs">
        {eventTopics.map((topic) => (
          <Checkbox key={topic} value={topic} label={topic} description={topicWords[topic]} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

interface QuizzesProps {
  value: string[];
  onChange: (ids: string[]) => void;
  error: string | null;
}

function QuizzesField({ value, onChange, error }: QuizzesProps) {
  const { data: quizzes = [], isPending } = useQuizzes();
  const known = quizzes.map(({ id, name }) => ({ value: id, label: name }));
  const missing = value.filter((id) => !known.some((quiz) => quiz.value === id));
  return (
    <>
      <MultiSelect
        label="Of these quizzes"
        description="Without a choice, of every quiz"
        placeholder={value.length === 0 ? "Every quiz" : ""}
        data={[...known, ...missing.map((id) => ({ value: id, label: isPending ? "…" : `Deleted (${id})` }))]}
        value={value}
        searchable
        maxValues={200}
        limit={shownAtOnce}
        nothingFoundMessage="No quiz of this name"
        error={error}
        onChange={onChange}
      />
      {value.length > 0 && (
        <Text size="sm" c="dimmed">
          Events that belong to no quiz, such as a file that is ready, are sent too.
        </Text>
      )}
    </>
  );
}
