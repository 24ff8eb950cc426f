import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";

export function NotFoundScreen() {
  return (
    <Page title="Not found">
      <EmptyState
        title="There is no such screen"
        text="The address may be mistyped, or what it led to may be gone."
        action={
          <Button component={Link} to="/">
            To Home
          </Button>
        }
      />
    </Page>
  );
}
