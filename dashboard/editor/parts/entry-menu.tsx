import { ActionIcon, Menu } from "@mantine/core";
import { IconMore } from "../../ui/icons.tsx";
import { useReadOnly } from "../context.tsx";
import { EditorMenu } from "./editor-menu.tsx";

interface EntryMenuProps {
  index: number;
  count: number;
  name: string;
  /** for rows that are only slightly higher than their text */
  small?: boolean;
  move: (to: number) => void;
  duplicate: () => void;
  remove: () => void;
}

/** The menu of a list entry: a page, a question, an option, a jump, a product. */
export function EntryMenu({ index, count, name, small = false, move, duplicate, remove }: EntryMenuProps) {
  const readOnly = useReadOnly();
  return (
    <EditorMenu
      position="bottom-end"
      button={
        <ActionIcon
          variant="subtle"
          color="gray"
          {...(small ? { size: "sm" } : {})}
          aria-label={`Do something with ${name}`}
          disabled={readOnly}
        >
          <IconMore />
        </ActionIcon>
      }
    >
      <Menu.Item disabled={index === 0} onClick={() => move(index - 1)}>
        Move up
      </Menu.Item>
      <Menu.Item disabled={index === count - 1} onClick={() => move(index + 1)}>
        Move down
      </Menu.Item>
      <Menu.Item onClick={duplicate}>Duplicate</Menu.Item>
      <Menu.Item color="red" onClick={remove}>
        Remove
      </Menu.Item>
    </EditorMenu>
  );
}
