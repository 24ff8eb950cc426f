import { Kbd, Modal, Table } from "@mantine/core";
import { closeHelp } from "./command-menu-state.ts";

const keys: readonly [string, string[]][] = [
  ["Go to a screen or quiz, or do something", ["Ctrl or ⌘", "K"]],
  ["This list", ["?"]],
  ["To the content, past the navigation", ["Tab", "Enter"]],
  ["Close a dialog or menu", ["Esc"]],
];

export const ShortcutsHelp = () => (
  <Modal opened onClose={closeHelp} title="Keyboard shortcuts" centered>
    <Table>
      <Table.Tbody>
        {keys.map(([what, combination]) => (
          <Table.Tr key={what}>
            <Table.Th scope="row" fw={400}>
              {what}
            </Table.Th>
            <Table.Td ta="end">
              {combination.map((key) => (
                <Kbd key={key} mx={2}>
                  {key}
                </Kbd>
              ))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Modal>
);
