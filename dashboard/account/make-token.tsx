import { NativeSelect } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { createToken, type NewPersonalToken } from "../api/generated.ts";
import { personApi } from "../app/api.ts";
import { useMe, useStoreOrNull } from "../app/session.ts";
import { expiryChoices, expiryOf } from "../developers/key-words.ts";
import { MakeSecret, SecretForm } from "../developers/make-secret.tsx";
import { problemAt } from "../people/search-problems.ts";
import { usePasswordAgain } from "../ui/confirm.ts";
import { useKeptForm } from "../ui/form.ts";
import { ShownOnce } from "../ui/shown-once.tsx";

/** Creates a personal token and shows its text, once. */
export const MakeToken = ({ opened, close }: { opened: boolean; close: () => void }) => (
  <MakeSecret<NewPersonalToken>
    title="New personal token"
    opened={opened}
    close={close}
    form={(onMade) => <TokenForm onMade={onMade} close={close} />}
    shown={(made, done) => <MadeToken made={made} close={done} />}
  />
);

interface TokenValues {
  name: string;
  storeId: string;
  expiry: string;
}

/** A token that never expires would outlive its purpose. */
const ends = expiryChoices.filter(({ value }) => value !== "never");

/** Only the screen holds the token's text: it is neither cached nor part of the saved form. */
function useMakeToken(onMade: (token: NewPersonalToken) => void) {
  const withPassword = usePasswordAgain();
  const queries = useQueryClient();
  return async ({ name, storeId, expiry }: TokenValues): Promise<boolean> => {
    const expires = expiryOf(expiry, Date.now());
    if (expires === null) throw new Error("a personal token must expire");
    const body = { name: name.trim(), store_id: storeId, expires_at: expires };
    const made = await withPassword(() => createToken(personApi, { body }));
    if (made === null) return false;
    onMade(made);
    void queries.invalidateQueries({ queryKey: ["my-tokens"] });
    return true;
  };
}

function TokenForm({ onMade, close }: { onMade: (token: NewPersonalToken) => void; close: () => void }) {
  const { stores } = useMe();
  // an operator may be viewing a store that is not their own
  const looked = useStoreOrNull()?.id;
  const storeId = (stores.find(({ id }) => id === looked) ?? stores[0])?.id ?? "";
  const { values, setFieldValue, forget } = useKeptForm<TokenValues>("new token", {
    initialValues: { name: "", storeId, expiry: "90" },
  });
  const make = useMakeToken(onMade);
  return (
    <SecretForm
      name={values.name}
      setName={(name) => setFieldValue("name", name)}
      nameHint="What uses it, such as Assistant on my laptop"
      expiry={values.expiry}
      setExpiry={(expiry) => setFieldValue("expiry", expiry)}
      expiries={ends}
      isReady
      verb="Make the token"
      make={() => make(values)}
      forget={forget}
      close={close}
    >
      {(errors) => (
        <NativeSelect
          label="Store"
          description="It has the rights that you have in that store, and none in any other"
          data={stores.map(({ id, name, role }) => ({ value: id, label: `${name} (${role})` }))}
          value={values.storeId}
          error={problemAt(errors, "body.store_id")}
          onChange={(event) => setFieldValue("storeId", event.currentTarget.value)}
        />
      )}
    </SecretForm>
  );
}

const MadeToken = ({ made, close }: { made: NewPersonalToken; close: () => void }) => (
  <ShownOnce
    what="token"
    warning={`Who has it can do in ${made.store.name} what you can: give it to a program that you trust, and to nobody.`}
    name={made.name}
    secret={made.token}
    example={{
      code: `QUIZSTORE_KEY=${made.token} quizstore mcp --url ${window.location.origin}`,
      label: "An assistant that starts a program",
    }}
    close={close}
  />
);
