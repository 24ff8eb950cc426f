import { Button, Group } from "@mantine/core";

interface FormButtonsProps {
  cancel: () => void;
  /** what sending the form does */
  verb: string;
  isSending: boolean;
  isReady?: boolean;
}

/** How a form in a dialog ends: without having been sent, or sent. */
export const FormButtons = ({ cancel, verb, isSending, isReady = true }: FormButtonsProps) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={cancel}>
      Cancel
    </Button>
    <Button type="submit" loading={isSending} disabled={!isReady}>
      {verb}
    </Button>
  </Group>
);
