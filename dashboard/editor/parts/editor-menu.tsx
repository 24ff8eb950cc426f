import { Menu } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";

interface EditorMenuProps {
  /** the button that opens it */
  button: ReactElement;
  position?: "bottom-start" | "bottom-end";
  /** open from the beginning, for a menu that is built when it is asked for */
  opened?: boolean;
  onChange?: (isOpen: boolean) => void;
  children: ReactNode;
}

/**
 * A menu of the editor [editor.screen]: it stands within the editor, so that it belongs to the page's main part, and its
 * first entry has the focus.
 */
export function EditorMenu({ button, children, position = "bottom-start", ...rest }: EditorMenuProps) {
  return (
    <Menu position={position} withInitialFocusPlaceholder={false} portalProps={{ target: ".qs-ed" }} {...rest}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
