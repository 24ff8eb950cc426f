import { Button, Group, List, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { deleteWebhook, pingWebhook, updateWebhook, type WebhookEndpoint } from "../../client/src/index.ts";
import type { Member } from "../app/account-types.ts";
import { useApi } from "../app/api.ts";
import { may, useMember } from "../app/session.ts";
import { useConfirm } from "../ui/confirm.ts";
import { notifyDone, notifyProblem } from "../ui/notify.ts";
import { EndpointForm } from "./endpoint-form.tsx";
import { changesOf, type EndpointForm as Form, formOf } from "./webhook-words.ts";

/**
 * Whether a member may change, disable or enable an endpoint: only owners decide where contacts are sent
 * [dashboard-developers.roles].
 */
export const mayChange = (member: Member, { include_pii }: WebhookEndpoint): boolean =>
  !include_pii || may(member, "profiles:read");

/** What can be done with an endpoint [dashboard-developers.enable]. */
export function EndpointActions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const remove = useRemove(endpoint);
  const disable = useDisable(endpoint);
  const changeable = mayChange(useMember(), endpoint);
  return (
    <Group gap="sm">
      {endpoint.status === "enabled" && <PingButton endpoint={endpoint} />}
      {changeable && <EditButton endpoint={endpoint} />}
      {changeable && endpoint.status === "enabled" && (
        <Button variant="default" onClick={() => void disable()}>
          Disable…
        </Button>
      )}
      <Button color="red" variant="light" onClick={() => void remove()}>
        Delete…
      </Button>
    </Group>
  );
}

function useRefresh() {
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ["endpoints"] }),
      queries.invalidateQueries({ queryKey: ["deliveries"] }),
    ]);
}

function PingButton({ endpoint }: { endpoint: WebhookEndpoint }) {
  const api = useApi();
  const refresh = useRefresh();
  const ping = useMutation({
    mutationFn: () => pingWebhook(api, { path: { endpoint_id: endpoint.id } }),
    onSuccess: () => {
      notifyDone("A ping is on its way: it is the first of the deliveries.");
      return refresh();
    },
    onError: notifyProblem,
  });
  return (
    <Button variant="default" loading={ping.isPending} onClick={() => ping.mutate()}>
      Send a ping
    </Button>
  );
}

function EditButton({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Edit…
      </Button>
      <Modal opened={open} onClose={close} title="Change the endpoint" size="lg" closeOnClickOutside={false}>
        {open && <EditForm endpoint={endpoint} close={close} />}
      </Modal>
    </>
  );
}

function EditForm({ endpoint, close }: { endpoint: WebhookEndpoint; close: () => void }) {
  const api = useApi();
  const refresh = useRefresh();
  const save = async (form: Form) => {
    await updateWebhook(api, { path: { endpoint_id: endpoint.id }, body: changesOf(formOf(endpoint), form) });
    notifyDone("The endpoint was changed.");
    close();
    void refresh();
    return true;
  };
  return (
    <EndpointForm name={`endpoint ${endpoint.id}`} initial={formOf(endpoint)} verb="Save" save={save} cancel={close} />
  );
}

export function EnableButton({ endpoint }: { endpoint: WebhookEndpoint }) {
  const api = useApi();
  const refresh = useRefresh();
  const enabling = useMutation({
    mutationFn: () => updateWebhook(api, { path: { endpoint_id: endpoint.id }, body: { status: "enabled" } }),
    onSuccess: () => {
      notifyDone("The endpoint is enabled: new events are sent to it.");
      return refresh();
    },
    onError: notifyProblem,
  });
  return (
    <Button loading={enabling.isPending} onClick={() => enabling.mutate()}>
      Enable again
    </Button>
  );
}

function useDisable(endpoint: WebhookEndpoint) {
  const api = useApi();
  const confirm = useConfirm();
  const refresh = useRefresh();
  return async () => {
    const done = await confirm({
      title: "Disable this endpoint?",
      verb: "Disable",
      destroys: (
        <Text>
          Nothing more is sent to <b className="qs-name">{endpoint.url}</b>, and deliveries that wait are given up. It
          can be enabled again.
        </Text>
      ),
      run: () => updateWebhook(api, { path: { endpoint_id: endpoint.id }, body: { status: "disabled" } }),
    });
    if (done !== null) await refresh();
  };
}

function useRemove(endpoint: WebhookEndpoint) {
  const api = useApi();
  const confirm = useConfirm();
  const navigate = useNavigate();
  const refresh = useRefresh();
  return async () => {
    const done = await confirm({
      title: "Delete this endpoint?",
      verb: "Delete for good",
      destroys: (
        <Stack gap="sm">
          <Text>
            <b className="qs-name">{endpoint.url}</b> goes, and with it:
          </Text>
          <List size="sm">
            <List.Item>its signing secret</List.Item>
            <List.Item>every delivery of the last 30 days, with payloads and answers</List.Item>
            <List.Item>what waits to be sent to it</List.Item>
          </List>
        </Stack>
      ),
      // an empty response is null, which the dialog would read as not confirmed
      run: async () => {
        await deleteWebhook(api, { path: { endpoint_id: endpoint.id } });
        return true;
      },
    });
    if (done === null) return;
    notifyDone("The endpoint was deleted.");
    await navigate({ to: "/developers/webhooks" });
    await refresh();
  };
}
