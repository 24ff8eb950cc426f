import { Checkbox, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { defaultScopes, type Scope } from "../../contract/scopes.ts";
import { createKey, type NewApiKey } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { useMember } from "../app/session.ts";
import { problemAt } from "../people/search-problems.ts";
import { usePasswordAgain } from "../ui/confirm.ts";
import { useKeptForm } from "../ui/form.ts";
import { ShownOnce } from "../ui/shown-once.tsx";
import { expiryChoices, expiryOf, scopeChoices, testKeyWords } from "./key-words.ts";
import { MakeSecret, SecretForm } from "./make-secret.tsx";

/** Creates a key and shows its text, once [dashboard-developers.key-once]. */
export const MakeKey = ({ opened, close }: { opened: boolean; close: () => void }) => (
  <MakeSecret<NewApiKey>
    title="New API key"
    opened={opened}
    close={close}
    form={(onMade) => <KeyForm onMade={onMade} close={close} />}
    shown={(made, done) => <MadeKey made={made} close={done} />}
  />
);

interface KeyValues {
  name: string;
  scopes: Scope[];
  expiry: string;
  test: boolean;
}

/** Only the screen holds the key's text: it is neither cached nor part of the saved form. */
function useMakeKey(onMade: (key: NewApiKey) => void) {
  const api = useApi();
  const withPassword = usePasswordAgain();
  const queries = useQueryClient();
  return async ({ name, scopes, expiry, test }: KeyValues): Promise<boolean> => {
    const body = { name: name.trim(), scopes, expires_at: expiryOf(expiry, Date.now()), test };
    const made = await withPassword(() => createKey(api, { body }));
    if (made === null) return false;
    onMade(made);
    void queries.invalidateQueries({ queryKey: ["keys"] });
    return true;
  };
}

function KeyForm({ onMade, close }: { onMade: (key: NewApiKey) => void; close: () => void }) {
  const { store } = useMember();
  const initialValues: KeyValues = { name: "", scopes: [...defaultScopes], expiry: "90", test: false };
  const { values, setFieldValue, forget } = useKeptForm<KeyValues>(`new key ${store.id}`, { initialValues });
  const make = useMakeKey(onMade);
  return (
    <SecretForm
      name={values.name}
      setName={(name) => setFieldValue("name", name)}
      nameHint="What uses it, such as Warehouse or Newsletter"
      expiry={values.expiry}
      setExpiry={(expiry) => setFieldValue("expiry", expiry)}
      expiries={expiryChoices}
      isReady={values.scopes.length > 0}
      verb="Make the key"
      make={() => make(values)}
      forget={forget}
      close={close}
      last={
        <Checkbox
          label="Test key"
          description={testKeyWords}
          checked={values.test}
          onChange={(event) => setFieldValue("test", event.currentTarget.checked)}
        />
      }
    >
      {(errors) => (
        <Checkbox.Group
          label="What it may do"
          value={values.scopes}
          error={values.scopes.length === 0 ? "Choose at least one" : problemAt(errors, "body.scopes")}
          onChange={(scopes) => setFieldValue("scopes", scopes as Scope[])}
        >
          <Stack gap="xs" mt="xs">
            {scopeChoices.map(({ scope, description }) => (
              <Checkbox key={scope} value={scope} label={scope} description={description} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </SecretForm>
  );
}

const MadeKey = ({ made, close }: { made: NewApiKey; close: () => void }) => (
  <ShownOnce
    what="key"
    warning="Who has it can do what it may: keep it where programs keep their secrets."
    name={made.name}
    secret={made.key}
    example={{
      // the test store's response names its publishable key [dashboard-developers.test-keys]
      code: `curl -H "Authorization: Bearer ${made.key}" ${window.location.origin}/v1/${made.test ? "test/clock" : "store"}`,
      label: "A first call with it",
    }}
    close={close}
  />
);
