import { describe, expect, it } from "vitest";
import { Devices } from "./device.ts";

const devices = new Devices();
const chrome = (system: string, tail: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 ${tail}`;
const unknown = {
  class: "other",
  family: null,
  vendor: null,
  model: null,
  browser: null,
  browser_version: null,
  os: null,
  os_version: null,
};

describe("the device [sessions.device]", () => {
  it("leaves what nobody says null, never a placeholder", () => {
    for (const userAgent of [null, "", " ", "x"]) expect(devices.read(userAgent, null)).toEqual(unknown);
    // the model that reduced user agents name is no model
    expect(devices.read(chrome("Linux; Android 10; K", "Mobile Safari/537.36"), null)).toMatchObject({
      class: "mobile",
      model: null,
      vendor: null,
      family: null,
      os: "Android",
      // nor is their version one
      os_version: null,
    });
    const tablet = devices.read(chrome("Linux; Android 10; K", "Safari/537.36"), null);
    expect(tablet).toMatchObject({ class: "tablet", model: null, os_version: null });
    const told = devices.read(chrome("Linux; Android 10; K", "Mobile Safari/537.36"), { platform_version: "14.0.0" });
    expect(told).toMatchObject({ model: null, os_version: "14.0.0" });
  });

  it("takes Chromebooks for desktops, by their user agent or their hints", () => {
    for (const system of ["X11; CrOS x86_64 14541.0.0", "X11; CrOS aarch64 13597.84.0"]) {
      expect(devices.read(chrome(system, "Safari/537.36"), null)).toMatchObject({ class: "desktop", os: "Chrome OS" });
    }
    expect(devices.read("", { platform: "Chromium OS", mobile: false }).class).toBe("desktop");
  });

  it("reads the models of Samsung and Google from user agents that are not reduced", () => {
    const samsung = { vendor: "Samsung", family: "Galaxy" };
    const read = (system: string, tail = "Mobile Safari/537.36") => devices.read(chrome(system, tail), null);
    expect(read("Linux; Android 14; SM-S928B")).toMatchObject({
      ...{ ...samsung, class: "mobile", model: "SM-S928B", os_version: "14" },
    });
    expect(read("Linux; Android 10; SM-A105F")).toMatchObject({ ...samsung, model: "SM-A105F", os_version: "10" });
    expect(read("Linux; Android 13; SAMSUNG SM-G991B")).toMatchObject({ ...samsung, model: "SM-G991B" });
    expect(read("Linux; Android 9; SM-T510 Build/PPR1.180610.011; wv")).toMatchObject({ ...samsung, model: "SM-T510" });
    expect(read("Linux; Android 13; SM-X906C", "Safari/537.36")).toMatchObject({ ...samsung, class: "tablet" });
    expect(read("Linux; Android 14; Pixel 8 Pro")).toMatchObject({
      vendor: "Google",
      family: "Pixel",
      model: "Pixel 8 Pro",
    });
    expect(read("Linux; Android 14; Mobile; rv:126.0")).toMatchObject({ vendor: null, model: null });
  });

  it("believes client hints over the user agent's frozen versions", () => {
    const phone = devices.read(chrome("Linux; Android 10; K", "Mobile Safari/537.36"), {
      platform: "Android",
      platform_version: "15.0.0",
      model: "SM-S928B",
      mobile: true,
    });
    expect(phone).toMatchObject({
      class: "mobile",
      model: "SM-S928B",
      vendor: "Samsung",
      family: "Galaxy",
      os_version: "15.0.0",
    });
    const windows = (platform_version: string) =>
      devices.read(chrome("Windows NT 10.0; Win64; x64", "Safari/537.36"), { platform: "Windows", platform_version });
    expect(windows("15.0.0")).toMatchObject({ class: "desktop", os: "Windows", os_version: "11" });
    expect(windows("10.0.0").os_version).toBe("10");
    expect(windows("")).toMatchObject({ os_version: null, browser: "Chrome", browser_version: "137.0.0.0" });
  });

  it("tells desktops, phones, tablets and everything else apart [sessions.device]", () => {
    const classOf = (userAgent: string, hints = {}) => devices.read(userAgent, hints).class;
    expect(classOf(chrome("X11; Linux x86_64", "Safari/537.36"))).toBe("desktop");
    expect(
      classOf(
        "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
      ),
    ).toBe("tablet");
    expect(
      classOf(chrome("Linux; Android 13; SM-X906C", "Safari/537.36"), {
        platform: "Android",
        model: "SM-X906C",
        mobile: false,
      }),
    ).toBe("tablet");
    expect(
      classOf(
        "Mozilla/5.0 (SMART-TV; Linux; Tizen 8.0) AppleWebKit/537.36 (KHTML, like Gecko) 120.0/8.0 TV Safari/537.36",
      ),
    ).toBe("other");
    expect(classOf("Googlebot/2.1 (+http://www.google.com/bot.html)")).toBe("other");
  });

  it("holds nothing that PostgreSQL could not, and stays bounded", () => {
    const odd = devices.read("a".repeat(100_000), { model: "a\u0000b\ud800" });
    expect(odd.model).toBe("ab\ufffd");
    for (let index = 0; index < 5_000; index++) devices.read(`agent ${index}`, null);
    expect(devices.read("agent 1", null)).toEqual(unknown);
  });
});

const safari = (system: string, version: string, tail = "Safari/604.1") =>
  `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version} ${tail}`;
const iphone = (version: string) => `iPhone; CPU iPhone OS ${version} like Mac OS X`;
const mac = "Macintosh; Intel Mac OS X 10_15_7";

describe("versions that say nothing of the device", () => {
  it.each([
    ["Safari 26 on an iPhone", safari(iphone("18_7"), "26.1", "Mobile/15E148 Safari/604.1"), null],
    ["Safari 18.7 on an iPhone", safari(iphone("18_7"), "18.7", "Mobile/15E148 Safari/604.1"), "18.7"],
    ["Safari 17.5 on an iPhone", safari(iphone("17_5_1"), "17.5", "Mobile/15E148 Safari/604.1"), "17.5.1"],
    [
      "an app's browser on an iPhone, which may be of either",
      `Mozilla/5.0 (${iphone("18_6_2")}) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22G100 Instagram 391.0.0.20.74`,
      null,
    ],
    ["Safari on a Mac", safari(mac, "18.5", "Safari/605.1.15"), null],
    ["Firefox on a Mac", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0", null],
    ["Safari on an older Mac", safari("Macintosh; Intel Mac OS X 10_14_6", "14.1", "Safari/605.1.15"), "10.14.6"],
    ["Firefox on Windows", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", null],
    ["Firefox on Windows 7", "Mozilla/5.0 (Windows NT 6.1; Win64; x64; rv:115.0) Gecko/20100101 Firefox/115.0", "7"],
    ["Chrome OS", chrome("X11; CrOS x86_64 14541.0.0", "Safari/537.36"), null],
  ])("are null: %s [sessions.frozen-versions]", (_, userAgent, version) => {
    expect(devices.read(userAgent, null).os_version).toBe(version);
  });

  it("are what a client hint says instead [sessions.frozen-versions]", () => {
    const hinted = { platform: "macOS", platform_version: "15.5.0" };
    expect(devices.read(chrome(mac, "Safari/537.36"), hinted)).toMatchObject({ os: "macOS", os_version: "15.5.0" });
    expect(devices.read(chrome(mac, "Safari/537.36"), { platform: "macOS" }).os_version).toBeNull();
  });
});

describe("devices that say they are others [sessions.device]", () => {
  it("takes a Mac with a touch screen for an iPad, and other touch screens for what they say", () => {
    const ipad = { class: "tablet", family: "iPad", vendor: "Apple", os: "iOS", os_version: null };
    expect(devices.read(safari(mac, "26.0", "Safari/605.1.15"), { touch_points: 5 })).toMatchObject(ipad);
    expect(devices.read(safari(mac, "26.0", "Safari/605.1.15"), { touch_points: 0 }).class).toBe("desktop");
    const windows = chrome("Windows NT 10.0; Win64; x64", "Safari/537.36");
    expect(devices.read(windows, { touch_points: 10 }).class).toBe("desktop");
  });

  it.each([
    "Mozilla/5.0 (Linux; Android 12; BRAVIA 4K VH2 Build/STT2.230505.001.S104) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Linux; Android 9; AFTKA Build/PS7652.3564N; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/118.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Linux; Android 12; Chromecast Build/STTE.230615.004; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/119.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Linux; Andr0id 9; SMART-TV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.79 Safari/537.36",
    "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.5359.211 Safari/537.36 WebAppManager",
    "Mozilla/5.0 (Linux; U; Android 9; MiTV-AXSO0 Build/PI) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/110.0.0.0 Safari/537.36 CrKey/1.56.500000",
    "Mozilla/5.0 (PlayStation; PlayStation 5/6.00) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edge/44.18363.8131",
  ])("takes what stands before a television for other: %s", (userAgent) => {
    expect(devices.read(userAgent, null).class).toBe("other");
  });
});
