import { Stack } from "@mantine/core";
import { useMe } from "../app/session.ts";
import { Page } from "../ui/page.tsx";
import { AuthenticatorCard } from "./authenticator-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { PersonCard } from "./person-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";

/** What is a person's own: name, password, second factor, and where they are signed in. */
export function AccountScreen() {
  const { person } = useMe();
  return (
    <Page title="My account" description={<span className="qs-name">{person.email}</span>}>
      <Stack maw="46rem">
        <PersonCard />
        <PasswordCard />
        <AuthenticatorCard />
        <SessionsCard />
      </Stack>
    </Page>
  );
}
