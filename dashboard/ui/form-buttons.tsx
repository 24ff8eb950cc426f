import { Button, Group } from "@mantine/core";

interface FormButtonsProps {
  cancel: () => void;
  /** the submit button's text */
  verb: string;
  isSending: boolean;
  isReady?: boolean;
}

/** The end of a form in a dialog: cancel or submit. */
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
