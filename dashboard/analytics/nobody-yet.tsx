import { Button, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { may, useMember } from "../app/session.ts";
import { EmptyState } from "../ui/empty-state.tsx";

/** The quiz has never had a shopper: says how to get some. */
export function NobodyYet({ quizId }: { quizId: string | null }) {
  const edits = may(useMember(), "quizzes:write");
  const editor = quizId === null ? "/quizzes" : `/quizzes/${quizId}/edit`;
  return (
    <EmptyState
      title={quizId === null ? "No shopper has opened a quiz yet" : "No shopper has opened this quiz yet"}
      text="Publish it, and put it on a page of the shop. Its figures appear here with the first shopper, without a reload."
      action={
        <Group gap="xs" justify="center">
          {edits || quizId === null ? (
            <Button variant="default" component={Link} to={editor}>
              {quizId === null ? "Go to the quizzes" : "Edit and publish it"}
            </Button>
          ) : null}
          <Button variant="default" component="a" href="/docs/embedding">
            How to put it on a page
          </Button>
        </Group>
      }
    />
  );
}
