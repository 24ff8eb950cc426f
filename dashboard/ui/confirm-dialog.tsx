import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Question } from "./confirm.ts";
import { ProblemNote } from "./problem-note.tsx";

/** Asks before something is destroyed, and names it. On a refusal the dialog stays and shows it. */
export function ConfirmDialog({
  question,
  onAnswer,
}: {
  question: Question<unknown>;
  onAnswer: (value: unknown) => void;
}) {
  const { title, destroys, verb, typed, harmless, run } = question;
  const [text, setText] = useState("");
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isReady = typed === undefined || text.trim() === typed.trim();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || isRunning) return;
    setRunning(true);
    setError(null);
    try {
      const value = await run();
      // null: the password was required and not given
      if (value !== null) return onAnswer(value ?? true);
    } catch (caught) {
      setError(caught);
    }
    setRunning(false);
  };
  return (
    <Modal opened onClose={() => !isRunning && onAnswer(null)} title={title} centered>
      <form onSubmit={submit}>
        <Stack>
          <div>{destroys}</div>
          {typed !== undefined && (
            <TextInput
              label={
                <>
                  Type <b className="qs-name">{typed}</b> to confirm
                </>
              }
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          {error !== null && <ProblemNote error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => onAnswer(null)} disabled={isRunning}>
              Cancel
            </Button>
            <Button type="submit" color={harmless ? "leaf" : "red"} loading={isRunning} disabled={!isReady}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
