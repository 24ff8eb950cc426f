import { Button } from "@mantine/core";
import { Suspense, useState } from "react";
import { IconAccount } from "../ui/icons.tsx";
import { latePart } from "./late.tsx";
import { useMe } from "./session.ts";

const UserMenuList = latePart(() => import("./user-menu-list.tsx"), "UserMenuList", { isOver: true });

/** The signed-in person's menu; its list is loaded when it is first opened. */
export function UserMenu() {
  const { person } = useMe();
  const [isNeeded, setNeeded] = useState(false);
  const button = (
    <Button
      variant="subtle"
      color="gray"
      justify="flex-start"
      fullWidth
      leftSection={<IconAccount />}
      aria-haspopup="menu"
      onClick={() => setNeeded(true)}
    >
      <span className="qs-cut">{person.name || person.email}</span>
    </Button>
  );
  if (!isNeeded) return button;
  return (
    <Suspense fallback={button}>
      <UserMenuList target={button} />
    </Suspense>
  );
}
