import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { CodeBlock } from "./code-block.tsx";

interface ShownOnceProps {
  /** what the secret is, such as `key` */
  what: string;
  /** what somebody who has it can do */
  warning: string;
  name: string;
  secret: string;
  /** how it is used */
  example: { code: string; label: string };
  close: () => void;
}

/** Shows a new secret: it stays until the reader confirms that it was copied. */
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
