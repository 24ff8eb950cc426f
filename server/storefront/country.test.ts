import { expect, it } from "vitest";
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
