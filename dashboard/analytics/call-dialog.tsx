import { Anchor, Group, Modal, Stack, Tabs, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { CodeBlock } from "../ui/code-block.tsx";
import { type ApiCall, asCurl, asTypeScript } from "./api-call.ts";

/** Shows the API call behind a chart, to copy. */
export function CallDialog({ call, title, onClose }: { call: ApiCall; title: string; onClose: () => void }) {
  const base = location.origin;
  return (
    // the dialog's title is in the body: a header next to the page's would be a second banner
    <Modal opened onClose={onClose} withCloseButton={false} size="xl">
      <Stack gap="sm" data-call={call.operation}>
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Modal.Title className="qs-name">
            The API call behind “<bdi>{title}</bdi>”
          </Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </Group>
        <Text size="sm">
          It needs a key with the scope <code>analytics:read</code>. Keys are made under{" "}
          <Anchor component={Link} to="/developers/keys" underline="always">
            Developers
          </Anchor>
          ; all operations are in the{" "}
          <Anchor href="/reference" underline="always">
            reference
          </Anchor>
          .
        </Text>
        <Tabs defaultValue="curl" keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="curl">curl</Tabs.Tab>
            <Tabs.Tab value="typescript">TypeScript</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="curl" pt="sm">
            <CodeBlock code={asCurl(call, base)} label="The call with curl" />
          </Tabs.Panel>
          <Tabs.Panel value="typescript" pt="sm">
            <CodeBlock code={asTypeScript(call, base)} label="The call in TypeScript" />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Modal>
  );
}
