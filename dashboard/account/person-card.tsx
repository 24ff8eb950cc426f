import { Button, Group, TextInput } from "@mantine/core";
import { updateMe } from "../api/generated.ts";
import { personApi } from "../app/api.ts";
import { useSession } from "../app/session.ts";
import { Card } from "../ui/card.tsx";
import { useKeptForm } from "../ui/form.ts";
import { notifyDone } from "../ui/notify.ts";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";

export function PersonCard() {
  const { me, refresh } = useSession();
  const form = useKeptForm("my name", { initialValues: { name: me.person.name } });
  const { isSending, error, send } = useSending();
  const save = form.onSubmit(({ name }) =>
    send(async () => {
      await updateMe(personApi, { body: { name: name.trim() } });
      form.forget();
      await refresh();
      notifyDone("Your name is saved");
    }),
  );
  return (
    <Card title="Name" text="As the others of your stores see it.">
      <form onSubmit={save}>
        {error !== null && <ProblemNote error={error} />}
        <Group align="flex-end">
          <TextInput
            label="Name"
            name="name"
            autoComplete="name"
            maxLength={200}
            className="qs-wide"
            {...form.getInputProps("name")}
          />
          <Button type="submit" loading={isSending}>
            Save
          </Button>
        </Group>
      </form>
    </Card>
  );
}
