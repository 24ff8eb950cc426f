import { expect, it } from "vitest";
import { openTestApp } from "../../testkit/app.ts";
import { readConfig } from "../platform/config.ts";
import { countryOf, regionOf } from "./country.ts";

it("finds the country of an address in the embedded database, none for private ones [sessions.country]", async () => {
  expect(await countryOf({}, null, "8.8.8.8")).toBe("US");
  expect(await countryOf({}, null, "2600:1f18::1")).toBe("US");
  for (const address of ["127.0.0.1", "10.1.2.3", "::1", "fe80::1", ""]) {
    expect(await countryOf({}, null, address)).toBeNull();
  }
});

it("believes only the header where one is configured [sessions.country]", async () => {
  const country = (text: string | undefined) =>
    countryOf(text === undefined ? {} : { "cf-ipcountry": text }, "cf-ipcountry", "8.8.8.8");
  expect(await country("de")).toBe("DE");
  for (const text of ["XX", "T1", "Germany", "", undefined]) expect(await country(text)).toBeNull();
});

it("takes the region from its header alone [sessions.country]", () => {
  expect(regionOf({ "x-region": " BE " }, "x-region")).toBe("BE");
  expect(regionOf({ "x-region": " " }, "x-region")).toBeNull();
  expect(regionOf({ "x-region": "BE" }, null)).toBeNull();
});

it("tells a browser its country, without a store and never cached [storefront.country]", async () => {
  const t = await openTestApp({
    config: readConfig({ BASE_URL: "http://api.test", GEO_COUNTRY_HEADER: "cf-ipcountry" }),
  });
  const ask = (headers: Record<string, string>) => t.request("GET", "/storefront/v1/country", { headers });
  const known = await ask({ "cf-ipcountry": "de" });
  expect([known.status, known.body]).toEqual([200, { country: "DE" }]);
  expect(known.headers["cache-control"]).toBe("no-store");
  expect(known.headers["access-control-allow-origin"]).toBe("*");
  expect((await ask({})).body).toEqual({ country: null });
  expect((await t.request("GET", "/storefront/v1/country?ip=8.8.8.8")).status).toBe(422);
  await t.close();
});
