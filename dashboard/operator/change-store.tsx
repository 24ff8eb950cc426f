import { Autocomplete, Group, Modal, Select, Stack, Text } from "@mantine/core";
import { type OperatedStore, updateStore } from "../api/generated.ts";
import { personApi } from "../app/api.ts";
import { applyProblem, useKeptForm } from "../ui/form.ts";
import { FormButtons } from "../ui/form-buttons.tsx";
import { notifyDone } from "../ui/notify.ts";
import { NumberBox } from "../ui/number-box.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";
import { limitFields, limitsOf, type TypedLimits, typedLimits } from "./limit-fields.ts";
import { planOptions } from "./plan-names.ts";

interface ChangeStoreProps {
  store: OperatedStore;
  onClose: () => void;
  onChanged: () => Promise<void>;
}

interface Values extends Pick<OperatedStore, "plan" | "timezone"> {
  limits: TypedLimits;
}

/** Changes a store's plan, zone and own limits; an empty limit means the plan's. */
export function ChangeStore({ store, onClose, onChanged }: ChangeStoreProps) {
  const { plan, timezone, limits } = store;
  const form = useKeptForm<Values>(`store ${store.id}`, {
    initialValues: { plan, timezone, limits: typedLimits(limits) },
  });
  const { isSending, error, send } = useSending();
  // the next time it opens, it shows the stored values
  const close = () => {
    form.forget();
    onClose();
  };
  const save = form.onSubmit((values) =>
    send(async () => {
      try {
        const body = { ...values, limits: limitsOf(values.limits, limits) };
        await updateStore(personApi, { path: { store_id: store.id }, body });
      } catch (caught) {
        if (applyProblem(form, caught)) return;
        throw caught;
      }
      await onChanged();
      notifyDone("The store is changed");
      close();
    }),
  );
  return (
    <Modal opened onClose={close} title={<span className="qs-name">{store.name}</span>} size="lg">
      <form onSubmit={save}>
        <Stack>
          {error !== null && <ProblemNote error={error} />}
          <Group grow align="flex-start">
            <Select label="Plan" data={planOptions} allowDeselect={false} {...form.getInputProps("plan")} />
            <Autocomplete
              label="Time zone"
              data={Intl.supportedValuesOf("timeZone")}
              limit={50}
              required
              {...form.getInputProps("timezone")}
            />
          </Group>
          <Text size="sm" c="dimmed">
            Limits of its own; an empty one is the plan's.
          </Text>
          {limitFields.map(({ name, label }) => (
            <NumberBox
              key={name}
              label={label}
              form="integer"
              error={form.errors[`limits.${name}`]}
              value={form.getValues().limits[name] ?? null}
              onNumber={(value) => form.setFieldValue(`limits.${name}`, value)}
              whenEmpty={{ value: null, set: () => form.setFieldValue(`limits.${name}`, null) }}
            />
          ))}
          <FormButtons cancel={close} verb="Save" isSending={isSending} />
        </Stack>
      </form>
    </Modal>
  );
}
