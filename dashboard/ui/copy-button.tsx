import { Button, type ButtonProps } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "./icons.tsx";

interface CopyButtonProps extends Pick<ButtonProps, "size" | "variant"> {
  value: string;
  /** what it copies, such as `Copy key` */
  label: string;
}

/** Copies and confirms it, or says that the browser does not allow copying. */
export function CopyButton({ value, label, size = "xs", variant = "default" }: CopyButtonProps) {
  const { copy, copied, error } = useClipboard({ timeout: 2_000 });
  const said = error ? "Copy it by hand: the browser does not allow this" : copied ? "Copied" : label;
  return (
    <>
      <Button
        size={size}
        variant={variant}
        leftSection={copied ? <IconCheck /> : <IconCopy />}
        onClick={() => copy(value)}
      >
        {said}
      </Button>
      <span className="qs-unseen" role="status">
        {copied ? `${label}: done` : ""}
      </span>
    </>
  );
}
