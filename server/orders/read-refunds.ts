import { decimalOfUnits, shareOf, sumOf, unitsOf } from "./amounts.ts";
import {
  currencyOf,
  decimalOf,
  type Fields,
  fieldsOf,
  globalId,
  listOf,
  moneyIn,
  PayloadError,
  platformId,
  textOf,
  uuidOfGlobalId,
} from "./payload.ts";

/** What a refund gave back, as far as it is stored [orders.refunds]. */
export interface Refund {
  id: string;
  /** of its successful transactions, in the order's currency; a decimal string */
  amount: string;
  /**
   * whether any money moves, or is meant to: a line that was removed from an unpaid order is a refund without
   * transactions
   */
  pays: boolean;
  lines: RefundedLine[];
}

export interface RefundedLine {
  /** the platform's number of the line */
  lineId: string;
  quantity: number;
  /** of the refund's amount, before taxes; a decimal string */
  amount: string;
}

/** The UUID of the order that a message about one refund names. Throws a PayloadError if it names none. */
export function orderOfRefund(payload: unknown): string {
  const order = platformId(fieldsOf(payload)?.["order_id"]);
  if (order === null) throw new PayloadError("must be the id of an order", { field: "order_id" });
  return uuidOfGlobalId(globalId("Order", order));
}

/** @param currency the order's. Throws a PayloadError for a payload that is not a refund. */
export function readRefundMessage(payload: unknown, currency: string): Refund {
  const refund = readRefund(payload, { currency, place: "", total: null });
  if (refund === null) throw new PayloadError("must be the id of a refund", { field: "id" });
  return refund;
}

/** The refunds that an order's message lists. */
export function readRefunds(order: Fields, currency: string): Refund[] {
  const total = order["total_price_set"];
  return listOf(order["refunds"]).flatMap(
    (refund, index) => readRefund(refund, { currency, place: `refunds[${index}].`, total }) ?? [],
  );
}

/** @param total the order's total in both currencies, if it is known */
function readRefund(
  payload: unknown,
  { currency, place, total }: { currency: string; place: string; total: unknown },
): Refund | null {
  const refund = fieldsOf(payload);
  const id = platformId(refund?.["id"]);
  if (!refund || id === null) return null;
  const transactions = listOf(refund["transactions"]).map(fieldsOf);
  const items = listOf(refund["refund_line_items"]).map(fieldsOf);
  const rate = rateIn([...items.map((item) => item?.["subtotal_set"]), total]);
  const amounts = transactions.flatMap((transaction, index) => {
    if (transaction === null || !isPaidBack(transaction)) return [];
    const amount = moneyIn(transaction, "amount", `${place}transactions[${index}].`);
    const paidIn = currencyOf(transaction["currency"]);
    if (paidIn === null || paidIn === currency) return unitsOf(amount);
    // paid back in the buyer's currency; without a rate, the order's next message tells
    return rate === null ? [] : shareOf(unitsOf(amount), rate.shop, rate.buyer);
  });
  const paid = amounts.reduce((sum, each) => sum + each, 0n);
  return { id, amount: decimalOfUnits(paid), pays: transactions.length > 0, lines: linesOf(items, paid) };
}

const isPaidBack = (transaction: Fields): boolean =>
  wordIn(transaction, "kind") === "refund" && wordIn(transaction, "status") === "success";

const wordIn = (fields: Fields, name: string): string | undefined => textOf(fields[name])?.trim().toLowerCase();

/** The rate between the shop's and the buyer's currency, from the first amount that is not 0 in both. */
function rateIn(sets: readonly unknown[]): { shop: bigint; buyer: bigint } | null {
  for (const set of sets) {
    const unitsIn = (money: string) => unitsOf(decimalOf(fieldsOf(fieldsOf(set)?.[money])?.["amount"]) ?? "0");
    const [shop, buyer] = [unitsIn("shop_money"), unitsIn("presentment_money")];
    if (shop > 0n && buyer > 0n) return { shop, buyer };
  }
  return null;
}

/** What the lines have of the amount: their subtotals, less if less was paid back. */
function linesOf(items: readonly (Fields | null)[], paid: bigint): RefundedLine[] {
  const lines = items.flatMap((item) => {
    const lineId = platformId(item?.["line_item_id"]);
    if (item === null || lineId === null) return [];
    const quantity = Number(item["quantity"]);
    return { lineId, quantity: Number.isSafeInteger(quantity) && quantity > 0 ? quantity : 0, units: subtotalOf(item) };
  });
  const subtotal = lines.reduce((sum, { units }) => sum + units, 0n);
  return lines.map(({ units, ...line }) => ({
    ...line,
    amount: decimalOfUnits(subtotal > paid ? shareOf(units, paid, subtotal) : units),
  }));
}

/** In the shop's currency; the plain field may be in the buyer's. */
function subtotalOf(item: Fields): bigint {
  const amount = decimalOf(fieldsOf(fieldsOf(item["subtotal_set"])?.["shop_money"])?.["amount"]);
  const units = unitsOf(amount ?? decimalOf(item["subtotal"]) ?? "0");
  return units < 0n ? 0n : units;
}

/** The sum of the refunds' amounts. */
export const refundedBy = (refunds: readonly Refund[]): bigint => sumOf(refunds.map(({ amount }) => amount));
