/**
 * Order and refund messages in the shapes that Shopify's webhooks have, versions 2024-07 to 2026-10: written from the
 * public schemas (shopify.dev: webhooks, REST Order and Refund; GraphQL LineItemGroup; @shopify/hydrogen-react 2026.4.4
 * for currencies) and from public samples of apps that receive them. Names, contacts and ids are made up. Numbers of
 * orders and lines are as long as real ones.
 */

type Json = Record<string, unknown>;

const gid = (kind: string, id: number) => `gid://shopify/${kind}/${id}`;

/** Both currencies of a shop that sells in its own. */
const set = (amount: string, currency = "EUR", buyer = { amount, currency }) => ({
  shop_money: { amount, currency_code: currency },
  presentment_money: { amount: buyer.amount, currency_code: buyer.currency },
});

interface Line extends Json {
  id: number;
  product_id: number | null;
  price: string;
  quantity?: number;
}

/** A line as every version since 2024-07 has it: no `fulfillment_service` object, `current_quantity` always there. */
export function fieldLine({ id, product_id, price, quantity = 1, ...more }: Line): Json {
  return {
    id,
    admin_graphql_api_id: gid("LineItem", id),
    attributed_staffs: [],
    current_quantity: quantity,
    fulfillable_quantity: quantity,
    fulfillment_service: "manual",
    fulfillment_status: null,
    gift_card: false,
    grams: 120,
    name: `Product ${product_id}`,
    price,
    price_set: set(price),
    product_exists: product_id !== null,
    product_id,
    properties: [],
    quantity,
    requires_shipping: true,
    sku: null,
    taxable: true,
    title: `Product ${product_id}`,
    total_discount: "0.00",
    total_discount_set: set("0.00"),
    variant_id: product_id === null ? null : product_id + 500,
    variant_inventory_management: "shopify",
    variant_title: null,
    vendor: "Lumen",
    tax_lines: [],
    duties: [],
    discount_allocations: [],
    ...more,
  };
}

interface Order extends Json {
  id: number;
  created_at: string;
  total_price: string;
  line_items: Json[];
}

/** An order of one currency that was neither edited nor refunded. */
export function fieldOrder({ id, created_at, total_price, ...more }: Order): Json {
  return {
    id,
    admin_graphql_api_id: gid("Order", id),
    app_id: 580111,
    browser_ip: null,
    buyer_accepts_marketing: false,
    cancel_reason: null,
    cancelled_at: null,
    cart_token: null,
    checkout_token: null,
    closed_at: null,
    confirmed: true,
    contact_email: null,
    created_at,
    currency: "EUR",
    current_subtotal_price: total_price,
    current_total_discounts: "0.00",
    current_total_duties_set: null,
    current_total_price: total_price,
    current_total_price_set: set(total_price),
    current_total_tax: "0.00",
    customer: null,
    discount_applications: [],
    discount_codes: [],
    duties_included: false,
    email: "",
    financial_status: "paid",
    fulfillments: [],
    fulfillment_status: null,
    landing_site: null,
    name: `#${id}`,
    note_attributes: [],
    payment_gateway_names: ["shopify_payments"],
    phone: null,
    presentment_currency: "EUR",
    processed_at: created_at,
    refunds: [],
    shipping_address: null,
    shipping_lines: [],
    source_name: "web",
    tags: "",
    tax_lines: [],
    taxes_included: true,
    test: false,
    total_price,
    total_price_set: set(total_price),
    updated_at: created_at,
    user_id: null,
    ...more,
  };
}

interface RefundGiven {
  id: number;
  order_id: number;
  created_at: string;
  lines?: { line_item_id: number; quantity: number; subtotal: string; restock_type?: string }[];
  /** each a successful one of the shop's currency unless it says otherwise; none: lines that an edit removed */
  transactions?: (Json & { amount: string })[];
}

/** As in `refunds` of an order, and the whole message of refunds/create. */
export function fieldRefund({ id, order_id, created_at, lines = [], transactions = [] }: RefundGiven): Json {
  return {
    id,
    admin_graphql_api_id: gid("Refund", id),
    created_at,
    note: null,
    order_id,
    processed_at: created_at,
    restock: lines.length > 0,
    total_duties_set: set("0.00"),
    user_id: 99_001,
    order_adjustments: [],
    transactions: transactions.map((transaction, index) => ({
      id: id * 10 + index,
      admin_graphql_api_id: gid("OrderTransaction", id * 10 + index),
      authorization: null,
      created_at,
      currency: "EUR",
      device_id: null,
      error_code: null,
      gateway: "shopify_payments",
      kind: "refund",
      message: "Transaction approved",
      order_id,
      parent_id: 1,
      processed_at: created_at,
      receipt: {},
      source_name: "1830279",
      status: "success",
      test: false,
      ...transaction,
    })),
    refund_line_items: lines.map(({ line_item_id, quantity, subtotal, restock_type = "return" }, index) => ({
      id: id * 100 + index,
      line_item_id,
      location_id: null,
      quantity,
      restock_type,
      // a number here, a text in the set
      subtotal: Number(subtotal),
      subtotal_set: set(subtotal),
      total_tax: 0,
      total_tax_set: set("0.00"),
    })),
    refund_shipping_lines: [],
    duties: [],
    additional_fees: [],
  };
}

/** An order from which the shop removed one of two lines before it was paid (order editing), 2024-07. */
export const editedOrder = (id: number, created_at: string): Json =>
  fieldOrder({
    id,
    created_at,
    total_price: "100.00",
    current_subtotal_price: "50.00",
    current_total_price: "50.00",
    current_total_price_set: set("50.00"),
    financial_status: "paid",
    line_items: [
      fieldLine({ id: id + 1, product_id: 9001, price: "50.00" }),
      fieldLine({ id: id + 2, product_id: 9002, price: "50.00", current_quantity: 0, fulfillable_quantity: 0 }),
    ],
    refunds: [
      fieldRefund({
        ...{ id: id + 3, order_id: id, created_at },
        lines: [{ line_item_id: id + 2, quantity: 1, subtotal: "50.00", restock_type: "cancel" }],
      }),
    ],
  });

/** A bundle of two components, 2025-01: the lines name a group; `more` are fields of the group. */
export const bundleOrder = (id: number, created_at: string, more: Json = {}): Json => {
  const group = 2_201_321_657;
  return fieldOrder({
    id,
    created_at,
    total_price: "40.00",
    line_items: [
      fieldLine({ id: id + 1, product_id: 9101, price: "25.00", sales_line_item_group_id: group }),
      fieldLine({ id: id + 2, product_id: 9102, price: "15.00", sales_line_item_group_id: group }),
    ],
    line_item_groups: [{ id: group, ...more }],
  });
};

/** A buyer paid in dollars; the shop's currency is the euro. One of two pieces was paid back, 2025-10. */
export const foreignBuyerOrder = (id: number, created_at: string): Json => {
  const buyer = (amount: string) => ({ amount, currency: "USD" });
  const refund = fieldRefund({
    ...{ id: id + 2, order_id: id, created_at },
    lines: [{ line_item_id: id + 1, quantity: 1, subtotal: "30.00" }],
    transactions: [{ amount: "33.00", currency: "USD" }],
  });
  const items = (refund["refund_line_items"] as Json[]).map((item) => ({
    ...item,
    subtotal_set: set("30.00", "EUR", buyer("33.00")),
  }));
  return fieldOrder({
    id,
    created_at,
    total_price: "60.00",
    total_price_set: set("60.00", "EUR", buyer("66.00")),
    current_total_price: "30.00",
    current_total_price_set: set("30.00", "EUR", buyer("33.00")),
    presentment_currency: "USD",
    financial_status: "partially_refunded",
    line_items: [fieldLine({ id: id + 1, product_id: 9001, price: "30.00", quantity: 2, current_quantity: 1 })],
    refunds: [{ ...refund, refund_line_items: items }],
  });
};

/** Subscriptions renew themselves under either name, 2024-07 to 2026-10. */
export const renewalOrder = (id: number, created_at: string, email: string): Json =>
  fieldOrder({
    ...{ id, created_at, email, contact_email: email, total_price: "20.00" },
    source_name: id % 2 === 0 ? "subscription_contract" : "subscription_contract_checkout_one",
    line_items: [fieldLine({ id: id + 1, product_id: 9001, price: "20.00" })],
  });

/** Sold in a shop's own rooms: no email, no address, a staff member, a tip and a line that is no product, 2025-07. */
export const posOrder = (id: number, created_at: string): Json =>
  fieldOrder({
    id,
    created_at,
    total_price: "58.50",
    source_name: "pos",
    location_id: 77_001,
    user_id: 99_001,
    line_items: [
      fieldLine({ id: id + 1, product_id: 9001, price: "45.00", requires_shipping: false }),
      fieldLine({ id: id + 2, product_id: null, price: "10.00", title: "Gift wrap", name: "Gift wrap" }),
      fieldLine({
        id: id + 3,
        product_id: null,
        price: "3.50",
        title: "Tip",
        name: "Tip",
        tip: { payment_gateway: null },
      }),
    ],
  });
