import { PasswordInput as Input, type PasswordInputProps } from "@mantine/core";

/** A password field with a labelled button that shows the text and that the Tab key reaches. */
export const PasswordInput = (props: PasswordInputProps) => (
  <Input visibilityToggleButtonProps={{ "aria-label": "Show or hide what is typed", tabIndex: 0 }} {...props} />
);
