import { type UseFormInput, type UseFormReturnType, useForm } from "@mantine/form";
import { useMemo, useState } from "react";
import { nameOfField, problemOf, sentenceOf } from "../app/problems.ts";
import { tabStorage } from "../app/storage.ts";
import { keptValues } from "./kept-values.ts";

/** Forms that keep what was typed: over a reload, a crash, and signing in again [dashboard.kept-forms]. */

export interface KeptForm<Values extends object> extends UseFormReturnType<Values> {
  /** after what was typed has arrived */
  forget(): void;
  /** whether what is shown was typed before and never saved */
  wasKept: boolean;
}

export interface KeptFormInput<Values extends object> extends UseFormInput<Values> {
  initialValues: Values;
  /** fields that are kept nowhere, such as passwords */
  never?: readonly (keyof Values & string)[];
}

/** @param key names the form and the thing that it is of, such as `webhook wh_...` */
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

/** What nobody typed is not kept: the same form, opened again, shows it as it is by then. */
function changedIn<Values extends object>(values: Values, initial: Values): Partial<Values> {
  const before = new Map<string, unknown>(Object.entries(initial));
  const changed = Object.entries(values).filter(([name, value]) => !isSame(value, before.get(name)));
  return Object.fromEntries(changed) as Partial<Values>;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Puts what the API refused beside its fields.
 * @returns whether every refusal has its field; otherwise the problem has to be shown as a whole
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
