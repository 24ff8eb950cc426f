import { Anchor, Button, Modal, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ProfileSearch } from "../../client/src/index.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { searchAsCurl, searchAsTypeScript } from "./search-call.ts";

/** Shows the API call that finds the same people, to copy. */
export function SearchCallButton({ body }: { body: ProfileSearch }) {
  const [open, setOpen] = useState(false);
  const base = window.location.origin;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        API call…
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title="The API call behind this search" size="xl">
        <Stack gap="sm">
          <Text size="sm">
            It needs a key with the scope <code>profiles:read</code>, made under{" "}
            <Anchor component={Link} to="/developers/keys">
              Developers
            </Anchor>
            ; the fields are described in the <Anchor href="/reference/searchProfiles">reference</Anchor>.
          </Text>
          <CodeBlock code={searchAsCurl(body, base)} label="The call with curl" />
          <CodeBlock code={searchAsTypeScript(body, base)} label="The call in TypeScript" />
        </Stack>
      </Modal>
    </>
  );
}
