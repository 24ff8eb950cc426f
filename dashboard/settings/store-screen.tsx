import { Autocomplete, Button, Checkbox, Group, Stack, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getSettings, type StoreSettings, updateSettings } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { useMember, useSession } from "../app/session.ts";
import { Card } from "../ui/card.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Facts } from "../ui/facts.tsx";
import { applyProblem, useKeptForm } from "../ui/form.ts";
import { notifyDone } from "../ui/notify.ts";
import { ProblemNote } from "../ui/problem-note.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { useSending } from "../ui/sending.ts";
import { When } from "../ui/when.tsx";
import { SettingsPage } from "./settings-page.tsx";

export function StoreScreen() {
  const api = useApi();
  const { role } = useMember();
  const query = useQuery({ queryKey: ["settings"], queryFn: () => getSettings(api) });
  return (
    <SettingsPage title="Store">
      <QueryView query={query}>
        {(settings) => (
          <Stack maw="46rem">
            {role === "owner" && <StoreForm settings={settings} />}
            <Card title="About this store">
              <Facts facts={factsOf(settings, role === "owner")} />
            </Card>
          </Stack>
        )}
      </QueryView>
    </SettingsPage>
  );
}

const factsOf = (settings: StoreSettings, isForm: boolean) =>
  [
    ...(isForm
      ? []
      : ([
          [
            "Name",
            <span key="name" className="qs-name">
              {settings.name}
            </span>,
          ],
          ["Time zone", settings.timezone],
          ["Sells without an online store", settings.sells_without_online_store ? "Yes" : "No"],
        ] as const)),
    ["Shop", settings.shop_domain],
    ["Currency", settings.currency],
    [
      "Publishable key",
      <Group key="key" gap="xs">
        <span className="qs-mono">{settings.publishable_key}</span>
        <CopyButton value={settings.publishable_key} label="Copy" size="compact-xs" />
      </Group>,
    ],
    ["Created", <When key="since" at={settings.created_at} />],
  ] as const;

const zones = Intl.supportedValuesOf("timeZone");

function StoreForm({ settings }: { settings: StoreSettings }) {
  const api = useApi();
  const queries = useQueryClient();
  const { refresh } = useSession();
  const { name, timezone, sells_without_online_store } = settings;
  const initialValues = { name, timezone, sells_without_online_store };
  const form = useKeptForm(`settings ${settings.id}`, { initialValues });
  const { isSending, error, send } = useSending();
  const save = form.onSubmit((values) =>
    send(async () => {
      try {
        const saved = await updateSettings(api, { body: { ...values, name: values.name.trim() } });
        queries.setQueryData(["settings"], saved);
      } catch (caught) {
        if (applyProblem(form, caught)) return;
        throw caught;
      }
      form.forget();
      await refresh();
      // in another zone, every figure per day is different
      await queries.invalidateQueries();
      notifyDone("The settings are saved");
    }),
  );
  return (
    <Card title="Name and time zone" text="Days of every figure begin and end at midnight of this zone.">
      <form onSubmit={save}>
        <Stack>
          {error !== null && <ProblemNote error={error} />}
          <TextInput label="Name" name="name" maxLength={200} required {...form.getInputProps("name")} />
          <Autocomplete
            label="Time zone"
            name="timezone"
            data={zones}
            limit={50}
            required
            {...form.getInputProps("timezone")}
          />
          <Checkbox
            label="The shop sells without an online store"
            description="Results then also show products that the online store does not show."
            name="sells_without_online_store"
            {...form.getInputProps("sells_without_online_store", { type: "checkbox" })}
          />
          <div>
            <Button type="submit" loading={isSending}>
              Save
            </Button>
          </div>
        </Stack>
      </form>
    </Card>
  );
}
