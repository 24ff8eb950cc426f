import { Alert, Button, Group, Text } from "@mantine/core";
import { problemOf } from "../app/problems.ts";
import { loadAgain } from "../app/release.ts";

interface ProblemNoteProps {
  error: unknown;
  retry?: () => unknown;
  /** more specific sentences for some problem codes, where the screen knows the context */
  says?: Readonly<Record<string, string>>;
}

/** An error in one sentence, with the request's id and a way to try again [dashboard.problems]. */
export function ProblemNote({ error, retry, says = {} }: ProblemNoteProps) {
  const { sentence: usual, title, requestId, stale = false } = problemOf(error);
  const sentence = says[title ?? ""] ?? usual;
  return (
    <Alert color="red" variant="light" role="alert">
      <Group justify="space-between" gap="sm">
        <div>
          <Text size="sm">{sentence}</Text>
          {requestId !== null && (
            <Text size="xs" c="dimmed">
              Request <span className="qs-mono">{requestId}</span>
            </Text>
          )}
        </div>
        {(retry || stale) && (
          <Button size="xs" variant="default" onClick={() => void (stale ? loadAgain() : retry?.())}>
            {stale ? "Load again" : "Try again"}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** Fills the whole page, where not even the frame can be rendered. */
export const ProblemScreen = (props: ProblemNoteProps) => (
  <main className="qs-alone">
    <h1 className="qs-alone-title">Quiz Store</h1>
    <ProblemNote {...props} />
  </main>
);
