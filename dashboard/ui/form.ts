import { type UseFormInput, type UseFormReturnType, useForm } from "@mantine/form";
import { useMemo, useState } from "react";
import { nameOfField, problemOf, sentenceOf } from "../app/problems.ts";
import { tabStorage } from "../app/storage.ts";
import { keptValues } from "./kept-values.ts";

/** Forms that keep unsaved input across a reload, a crash, and signing in again [dashboard.kept-forms]. */

export interface KeptForm<Values extends object> extends UseFormReturnType<Values> {
  /** call it when the input was saved */
  forget(): void;
  /** whether the form shows earlier input that was never saved */
  wasKept: boolean;
}

export interface KeptFormInput<Values extends object> extends UseFormInput<Values> {
  initialValues: Values;
  /** fields that are never stored, such as passwords */
  never?: readonly (keyof Values & string)[];
}

/** @param key identifies the form and the thing that it edits, such as `webhook wh_...` */
export function useKeptForm<Values extends object>(key: string, input: KeptFormInput<Values>): KeptForm<Values> {
  const { never = [], ...options } = input;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a form keeps the same fields, however often the list is written anew
  const kept = useMemo(() => keptValues<Values>(tabStorage, key, never), [key]);
  const [found] = useState(() => kept.read());
  const form = useForm<Values>({
    ...options,
    initialValues: { ...options.initialValues, ...found },
    onValuesChange: (values, previous) => {
      kept.write(changedIn(values, options.initialValues));
      options.onValuesChange?.(values, previous);
    },
  } as UseFormInput<Values>);
  return Object.assign(form, { forget: kept.forget, wasKept: found !== null });
}

/** Stores only changed fields: when the form opens again, the others show their current values. */
function changedIn<Values extends object>(values: Values, initial: Values): Partial<Values> {
  const before = new Map<string, unknown>(Object.entries(initial));
  const changed = Object.entries(values).filter(([name, value]) => !isSame(value, before.get(name)));
  return Object.fromEntries(changed) as Partial<Values>;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Puts the API's errors next to their fields.
 * @returns whether every error has its field; otherwise the whole problem has to be shown
 */
export function applyProblem<Values extends object>(
  form: Pick<UseFormReturnType<Values>, "setFieldError" | "getValues">,
  error: unknown,
): boolean {
  const errors = problemOf(error).errors.map(({ field, message }) => ({ field: nameOfField(field), message }));
  const names = Object.keys(form.getValues());
  const placed = errors.filter(({ field }) => names.includes(field.split(/[.[]/)[0] ?? ""));
  for (const { field, message } of placed) form.setFieldError(field, sentenceOf(message));
  return errors.length > 0 && placed.length === errors.length;
}
