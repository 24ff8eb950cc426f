import { Button, Group, Modal, Text } from "@mantine/core";
import { useMemo } from "react";
import { useDocument, useEdit, useGoTo } from "../context.tsx";
import type { Removed } from "../document/gone.ts";
import type { Edit } from "../document/history.ts";
import { removeWithUses, usesOf } from "../document/removal.ts";
import type { Removal } from "../ui-state.ts";

/** Says where something is used that is about to be removed, and offers what to do about it [editor.removal]. */
export function RemovalDialog({ removal, close }: { removal: Removal; close: () => void }) {
  const document = useDocument((whole) => whole);
  const edit = useEdit();
  const goTo = useGoTo();
  const uses = useMemo(() => usesOf(document, removal.removed), [document, removal]);
  const isOne = uses.length === 1;
  const act = (how: (removed: Removed) => Edit): void => {
    close();
    edit(() => how(removal.removed));
    removal.done();
  };
  return (
    <Modal opened onClose={close} title={`Remove ${removal.name}?`} size="lg">
      <Text size="sm">{isOne ? "It is used in one place:" : `It is used in ${uses.length} places:`}</Text>
      <ul className="qs-ed-uses">
        {uses.slice(0, listedAtMost).map(({ path, said, after }) => (
          <li key={path}>
            <button
              type="button"
              onClick={() => {
                close();
                goTo(path);
              }}
            >
              {said}
            </button>
            <small>{after}</small>
          </li>
        ))}
        {uses.length > listedAtMost && <li>and {uses.length - listedAtMost} more</li>}
      </ul>
      <Text size="sm" c="dimmed">
        {isOne
          ? "Remove it everywhere, and this changes as described. Remove it only here, and this stays and is listed as an issue."
          : "Remove it everywhere, and these change as described. Remove it only here, and these stay and are listed as issues."}
      </Text>
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="subtle" color="gray" onClick={close}>
          Cancel
        </Button>
        <Button variant="default" onClick={() => act(() => removal.alone(document))}>
          Remove only here
        </Button>
        <Button color="red" data-autofocus onClick={() => act((removed) => removeWithUses(document, removed))}>
          Remove everywhere
        </Button>
      </Group>
    </Modal>
  );
}

const listedAtMost = 30;
