import { Menu, SegmentedControl, Text, useMantineColorScheme } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { IconAccount, IconKeyboard, IconSignOut } from "../ui/icons.tsx";
import { notifyProblem } from "../ui/notify.ts";
import { openHelp } from "./command-menu-state.ts";
import { useSession } from "./session.ts";

/** Open from the start: the list is loaded because its button was pressed. */
export function UserMenuList({ target }: { target: ReactNode }) {
  const { me, signOut } = useSession();
  const { person } = me;
  return (
    <Menu position="top-start" width={240} zIndex={400} defaultOpened>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <span className="qs-name">{person.email}</span>
        </Menu.Label>
        <Menu.Item leftSection={<IconAccount />} component={Link} to="/account">
          My account
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard />} onClick={openHelp}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Divider />
        <SchemeChoice />
        <Menu.Divider />
        <Menu.Item leftSection={<IconSignOut />} onClick={() => signOut().catch(notifyProblem)}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function SchemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div className="qs-scheme">
      <Text size="xs" c="dimmed" mb={4} id="scheme-label">
        Colours
      </Text>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-labelledby="scheme-label"
        value={colorScheme}
        onChange={(value) => setColorScheme(value === "light" || value === "dark" ? value : "auto")}
        data={[
          { label: "Light", value: "light" },
          { label: "Dark", value: "dark" },
          { label: "Auto", value: "auto" },
        ]}
      />
    </div>
  );
}
