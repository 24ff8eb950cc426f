import { Anchor, Group } from "@mantine/core";
import { useMember } from "../app/session.ts";
import { Subnav } from "../ui/subnav.tsx";

/** The screens of this area, and a link to the API reference [dashboard-developers.roles]. Only owners see keys. */
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
