import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { CodeBlock } from "./code-block.tsx";

interface ShownOnceProps {
  /** what it is, such as `key` */
  what: string;
  /** what whoever has it can do */
  warning: string;
  name: string;
  secret: string;
  /** how it is used */
  example: { code: string; label: string };
  close: () => void;
}

/** A secret that was just made: it stays until its reader says that it was copied. */
export const ShownOnce = ({ what, warning, name, secret, example, close }: ShownOnceProps) => (
  <Stack gap="md">
    <Alert color="yellow" title={`Copy the ${what} now`} role="status">
      It is shown here and never again. {warning}
    </Alert>
    <div>
      <Text size="sm" fw={500} mb={4} className="qs-name">
        {name}
      </Text>
      <CodeBlock code={secret} label={`The new ${what}`} />
    </div>
    <CodeBlock {...example} />
    <Group justify="flex-end">
      <Button onClick={close}>I have copied it</Button>
    </Group>
  </Stack>
);
