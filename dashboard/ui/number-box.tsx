import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";
import { readNumber } from "./read-number.ts";

interface NumberBoxProps extends Omit<TextInputProps, "value" | "onChange" | "onBlur" | "type"> {
  /** null: shown empty */
  value: number | null;
  onNumber: (value: number) => void;
  /**
   * what emptying the field does, and the value that the field then has; without it, an empty field changes nothing and
   * shows its number again when it is left
   */
  whenEmpty?: { value: number | null; set: () => void } | undefined;
  form?: "decimal" | "integer" | undefined;
}

/**
 * A field for a number that shows what is typed for as long as it is edited: an empty field stays empty, and `-` or
 * `1.` wait for the rest. What is not a number changes nothing and stays, marked, until it is corrected
 * [dashboard.number-fields].
 */
export function NumberBox({ value, onNumber, whenEmpty, form = "decimal", error, ...rest }: NumberBoxProps) {
  // with the value that it stands for: another one, such as after an undo, is shown instead
  const [typed, setTyped] = useState<{ text: string; value: number | null } | null>(null);
  const [isLeft, setLeft] = useState(false);
  const text = typed !== null && typed.value === value ? typed.text : null;
  const isWrong = text !== null && text.trim() !== "" && readNumber(text, form) === null;
  const take = (next: string): void => {
    const number = readNumber(next, form);
    const emptied = next.trim() === "" ? whenEmpty : undefined;
    setLeft(false);
    setTyped({ text: next, value: number ?? (emptied ? emptied.value : value) });
    if (number !== null) onNumber(number);
    else emptied?.set();
  };
  const leave = (): void => {
    setLeft(true);
    if (!isWrong) setTyped(null);
  };
  const needed = form === "integer" ? "Enter a whole number, such as 12" : "Enter a number, such as 12 or 1.5";
  return (
    <TextInput
      {...rest}
      inputMode={form === "integer" ? "numeric" : "decimal"}
      autoComplete="off"
      value={text ?? (value === null ? "" : String(value))}
      error={isWrong && isLeft ? needed : error}
      onChange={(event) => take(event.currentTarget.value)}
      onBlur={leave}
    />
  );
}
