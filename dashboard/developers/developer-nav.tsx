import { Anchor, Group } from "@mantine/core";
import { useMember } from "../app/session.ts";
import { Subnav } from "../ui/subnav.tsx";

/**
 * The screens of this part, and where the API is described [dashboard-developers.roles]. Keys are the owner's alone.
 */
export function DeveloperNav() {
  const { role } = useMember();
  const links = [
    ...(role === "owner" ? [{ to: "/developers/keys", label: "API keys" }] : []),
    { to: "/developers/webhooks", label: "Webhooks" },
    { to: "/developers/events", label: "Events" },
  ];
  return (
    <>
      <Subnav label="Developers" links={links} />
      <Group gap="md" mb="md">
        <Anchor href="/reference" size="sm">
          API reference
        </Anchor>
        <Anchor href="/docs" size="sm">
          Guides
        </Anchor>
      </Group>
    </>
  );
}
