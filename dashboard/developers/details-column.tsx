import { Button } from "@mantine/core";
import type { Column } from "../ui/data-table.tsx";

/** A column with a button that opens the row's details. */
export const detailsColumn = <Row extends { id: string }>(open: (id: string) => void): Column<Row> => ({
  key: "details",
  header: "Details",
  bare: true,
  cell: ({ id }) => (
    <Button size="compact-sm" variant="subtle" onClick={() => open(id)}>
      Details
    </Button>
  ),
});
