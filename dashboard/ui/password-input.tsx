import { PasswordInput as Input, type PasswordInputProps } from "@mantine/core";

/** A password that can be looked at, by a button that says so and that the Tab key reaches. */
export const PasswordInput = (props: PasswordInputProps) => (
  <Input visibilityToggleButtonProps={{ "aria-label": "Show or hide what is typed", tabIndex: 0 }} {...props} />
);
