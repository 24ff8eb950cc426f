import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { Page } from "../ui/page.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";

/** Shown when a screen fails to render: the frame around it stays, with the navigation to other screens. */
export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title="This screen could not be shown">
      <ProblemNote error={error} retry={again} />
    </Page>
  );
}
