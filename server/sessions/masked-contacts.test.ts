import { describe, expect, it } from "vitest";
import { maskedTexts, withoutContacts } from "./masked-contacts.ts";

describe("contacts in what browsers say of themselves [api.masked-contacts]", () => {
  it.for([
    ["ada@example.com", "[email]"],
    ["Hello ada@example.com, bye", "Hello [email], bye"],
    ["https://shop.example/p?email=ada%40example.com&x=1", "https://shop.example/p?email=[email]&x=1"],
    ["https://shop.example/p?e=ada%2540example.com#top", "https://shop.example/p?e=[email]#top"],
    ["https://shop.example/ada+news@mail.example.co.uk/next", "https://shop.example/[email]/next"],
    ["utm=jürgen@bücher.example", "utm=[email]"],
    ["utm=j@xn--bcher-kva.example", "utm=[email]"],
    ["u=ada%40b%C3%BCcher.example", "u=[email]"],
    ["ada＠example。com", "[email]"],
    ["mailto:ada@example.com", "mailto:[email]"],
  ])("are emails: %s", ([text, shown]) => {
    expect(withoutContacts(text as string)).toBe(shown);
  });

  it.for([
    ["+49309011558", "[phone]"],
    ["utm_term=%2B49309011558", "utm_term=[phone]"],
    ["https://shop.example/?to=+49%2030%20901%201558&a=1", "https://shop.example/?to=[phone]&a=1"],
    ["to= 49309011558", "to=[phone]"],
    ["0049 30 9011558", "[phone]"],
    ["https://shop.example/?phone=3090115", "https://shop.example/?phone=[phone]"],
    ["https://shop.example/?Mobile_Number=4930901155801", "https://shop.example/?Mobile_Number=[phone]"],
    ["tel:+1-202-555-0123", "tel:[phone]"],
    ["0170 1234567", "[phone]"],
    ["(202) 555-0123", "[phone]"],
    ["202-555-0123", "[phone]"],
    ["+٤٩٣٠٩٠١١٥٥٨", "[phone]"],
    ["+52 1 55 1234 4444", "[phone]"],
  ])("are phones: %s", ([text, shown]) => {
    expect(withoutContacts(text as string)).toBe(shown);
  });

  it.for([
    ...[
      "spring_sale_2026",
      "120210987654321",
      "2026-09-01",
      "summer+2026+2027",
      "19.50",
      "a@b",
      "@brand",
      "user @ home",
    ],
    ...[
      "https://shop.example/products/4711?variant=45678901234567",
      "gclid=Cj0KCQjw0123456789abc",
      "1-2-3-4-5-6",
      "12,345,678",
    ],
    ...["quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f", "192.168.100.200", "fbclid=IwAR00123456789", "", "日本語 👍"],
  ])("are not: %s", (text) => {
    expect(withoutContacts(text)).toBe(text);
  });

  it("are found in every text of a value, in time that grows with its length", () => {
    expect(maskedTexts({ "a@b.example": ["x@y.example", 5, null, { b: true }] })).toEqual({
      "a@b.example": ["[email]", 5, null, { b: true }],
    });
    for (const part of ["a", "1 ", "+1", "%40", "@a", "0(", "phone=1", "tel:", "a@b.", "%20"]) {
      const begun = performance.now();
      withoutContacts(part.repeat(Math.ceil(20_000 / part.length)));
      expect([part, performance.now() - begun < 2_000]).toEqual([part, true]);
    }
  });
});
