import { Stack } from "@mantine/core";
import { useMe } from "../app/session.ts";
import { Page } from "../ui/page.tsx";
import { AuthenticatorCard } from "./authenticator-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { PersonCard } from "./person-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { TokensCard } from "./tokens-card.tsx";

/** The signed-in person's own settings: name, password, second factor, sessions, and the programs that act for them. */
export function AccountScreen() {
  const { person } = useMe();
  return (
    <Page title="My account" description={<span className="qs-name">{person.email}</span>}>
      <Stack maw="46rem">
        <PersonCard />
        <PasswordCard />
        <AuthenticatorCard />
        <SessionsCard />
        <TokensCard />
      </Stack>
    </Page>
  );
}
