/**
 * An example of each parameter in a path or query. Those of a query may all be sent together, to any store: tools such
 * as Postman fill in every parameter, and a request that is refused for an example teaches nothing [api.examples].
 */

/** The ids in the contract's own examples; they exist in no store. */
export const sampleIds: Readonly<Record<string, string>> = {
  quiz_id: "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f",
  version_id: "ver_0198f2c4b2c17d4f8e6a7b8c9d0e1f2a",
  profile_id: "prof_0198f3d1c2e47a5b8c9d0e1f2a3b4c5d",
  export_id: "exp_0198f4a2d3f57b6c8d9e0f1a2b3c4d5e",
  endpoint_id: "whe_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
  delivery_id: "whd_0198f2c4e5f470718b9c0d1e2f3a4b5c",
  event_id: "evt_0198f2c4e5f470718b9c0d1e2f3a4b5c",
};

/** In a list's `cursor`: its first page, as without one [api.cursors]. */
export const firstPage = "first";

type Value = string | number | boolean;

const examples: Readonly<Record<string, Value>> = {
  ...sampleIds,
  cursor: firstPage,
  q: "example",
  from: "2026-01-01",
  to: "2026-01-31",
  tz: "Europe/Berlin",
  channel: "hosted",
  device: "mobile",
  new_returning: "new",
  country: "DE",
  region: "DE-BY",
  component_key: "skin_type",
  status: "published",
  archived: false,
  explain: true,
  include_pii: false,
  has_email: true,
  has_phone: true,
  has_order: true,
  has_marketing_consent: true,
  is_returning: true,
};

interface Shape {
  default?: Value;
  enum?: readonly Value[];
}

/** Undefined where none is known. */
export function parameterExample(name: string, shape: Shape): Value | undefined {
  const known = examples[name];
  // the same name may take other values elsewhere
  if (known !== undefined && shape.enum?.includes(known) !== false) return known;
  return shape.default ?? shape.enum?.[0];
}
