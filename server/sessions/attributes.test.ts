import { expect, it } from "vitest";
import { cleanPageUrl, referrerHost } from "./attributes.ts";

it.each([
  ["https://Shop.example/pages/quiz?utm_source=x#top", "https://shop.example/pages/quiz"],
  ["https://user:secret@shop.example:8443/a", "https://shop.example:8443/a"],
  ["http://shop.example", "http://shop.example/"],
  ["file:///home/ann/quiz.html", null],
  ["javascript:alert(1)", null],
  ["/pages/quiz", null],
  ["", null],
  [null, null],
  [undefined, null],
])("keeps origin and path of the page %j [sessions.page-address]", (url, expected) => {
  expect(cleanPageUrl(url)).toBe(expected);
});

it.each([
  ["https://www.Google.com/search?q=boots", "www.google.com"],
  ["https://blog.example:8080/post", "blog.example"],
  ["android-app://com.example.mail/", "com.example.mail"],
  ["about:blank", null],
  ["not an address", null],
  ["", null],
  [null, null],
])("takes the host of the referrer %j [sessions.page-address]", (referrer, expected) => {
  expect(referrerHost(referrer)).toBe(expected);
});
