import { type Fields, fieldsOf, globalId, listOf, platformId } from "./payload.ts";

/**
 * Bundles of an order [orders.bundles]. The platform sells a bundle as the lines of its components, which name a group
 * of the order (since version 2025-01). Not every version says which product the group is.
 */
export interface Bundle {
  /** the platform's number of the group */
  key: string;
  /** global id; null if the message does not name it */
  productId: string | null;
  /** how many bundles this line stands for: all of them on the first line of the group, none on the others */
  units: number;
}

export interface Bundles {
  /** the bundle of the order's next line; null if it is no component */
  of(line: Fields): Bundle | null;
}

/** @returns a reader of lines, which are given in their order and once */
export function bundlesOf(order: Fields): Bundles {
  const groups = new Map(
    [...listOf(order["line_item_groups"]), ...listOf(order["sales_line_item_groups"])].flatMap((group) => {
      const fields = fieldsOf(group);
      const key = numberOf(fields?.["id"]);
      return fields && key !== null ? [[key, fields] as const] : [];
    }),
  );
  const units = unitsOfGroups(order);
  const seen = new Set<string>();
  return {
    of: (line) => {
      const key = groupOf(line);
      if (key === null) return null;
      const group = { ...groups.get(key), ...fieldsOf(line["line_item_group"]) };
      const product = numberOf(group["product_id"]);
      const isFirst = !seen.has(key);
      seen.add(key);
      return {
        key,
        productId: product === null ? null : globalId("Product", product),
        units: isFirst ? (wholeNumber(group["quantity"]) ?? units.get(key) ?? 1) : 0,
      };
    },
  };
}

const groupOf = (line: Fields): string | null =>
  numberOf(line["sales_line_item_group_id"]) ??
  numberOf(line["line_item_group_id"]) ??
  numberOf(fieldsOf(line["line_item_group"])?.["id"]);

/** An id as number, text or global id. */
function numberOf(value: unknown): string | null {
  return platformId(typeof value === "string" ? value.trim().replace(/^gid:\/\/shopify\/\w+\//, "") : value);
}

/** Without a quantity of its own, a group is as many bundles as its rarest component. */
function unitsOfGroups(order: Fields): Map<string, number> {
  const units = new Map<string, number>();
  for (const line of listOf(order["line_items"]).map(fieldsOf)) {
    const key = line && groupOf(line);
    const quantity = wholeNumber(line?.["quantity"]);
    if (key && quantity) units.set(key, Math.min(units.get(key) ?? quantity, quantity));
  }
  return units;
}

const wholeNumber = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value < 2 ** 31 ? value : null;
