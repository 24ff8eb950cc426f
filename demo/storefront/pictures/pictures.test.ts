import { describe, expect, it } from "vitest";
import { demoCatalog, demoShop, pictureHost } from "../../catalog.ts";
import { demoQuizzes } from "../../quizzes.ts";
import { movedToStorefront } from "../addresses.ts";
import { escapeHtml } from "../markup.ts";
import { demoPictures } from "./pictures.ts";

const pictures = demoPictures();

const elements = ["svg", "title", "g", "rect", "ellipse", "path", "defs", "linearGradient", "stop"];
const attributes = (
  "xmlns viewBox role transform x y width height rx ry cx cy d fill opacity stroke stroke-width stroke-linecap " +
  "stroke-linejoin stroke-dasharray id x1 y1 x2 y2 offset stop-color stop-opacity"
).split(" ");

interface Read {
  faults: string[];
  drawn: number;
}

/** Reads a picture tag by tag: what is no drawing, or does not close, is a fault. */
function readPicture(svg: string): Read {
  const faults: string[] = [];
  const open: string[] = [];
  let drawn = 0;
  let end = 0;
  for (const match of svg.matchAll(/<(\/?)([A-Za-z]+)((?:\s+[A-Za-z0-9-]+="[^"<>]*")*)\s*(\/?)>|<[^>]*>?/g)) {
    const between = svg.slice(end, match.index);
    end = match.index + match[0].length;
    const [whole, closing, name, given = "", alone] = match;
    if (between.trim() !== "" && open.at(-1) !== "title") faults.push(`text ${between}`);
    if (/&(?!amp;|lt;|gt;|quot;|#39;)/.test(between)) faults.push(`a sign that is not escaped: ${between}`);
    if (name === undefined || !elements.includes(name)) faults.push(whole);
    else if (closing) {
      if (open.pop() !== name) faults.push(`${whole} closes nothing`);
    } else {
      if (!alone) open.push(name);
      drawn += 1;
      const seen = new Set<string>();
      for (const [, attribute = "", value = ""] of given.matchAll(/([A-Za-z0-9-]+)="([^"]*)"/g)) {
        if (seen.has(attribute)) faults.push(`${attribute} twice`);
        seen.add(attribute);
        if (!attributes.includes(attribute)) faults.push(`${attribute} of ${name}`);
        if (/NaN|undefined|null|Infinity|\[/.test(value)) faults.push(`${attribute}="${value}"`);
        if (/url\((?!#)/.test(value)) faults.push(`${attribute} loads ${value}`);
        if (attribute === "fill" && !/^(#[0-9a-f]{6}|none|url\(#[a-z]\))$/.test(value)) faults.push(`fill="${value}"`);
      }
    }
  }
  if (open.length > 0) faults.push(`${open} stay open`);
  return { faults, drawn };
}

describe("the demo's pictures", () => {
  it.each([...pictures])("%s is a drawing and nothing else [demo.pictures]", (_path, svg) => {
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 \d+ \d+" role="img"><title>[^<]+</,
    );
    const { faults, drawn } = readPicture(svg);
    expect(faults).toEqual([]);
    expect(drawn).toBeGreaterThan(3);
    expect(Buffer.byteLength(svg)).toBeLessThan(20_000);
  });

  it("would not pass for drawings if they held a script, a link or a foreign picture", () => {
    for (const bad of [
      "<script>alert(1)</script>",
      '<image href="https://elsewhere.example/x.png"/>',
      '<rect onload="x"/>',
      '<rect fill="url(https://elsewhere.example)"/>',
      '<rect x="1" x="2"/>',
      "<g>",
      "<g",
    ]) {
      expect(readPicture(`<svg>${bad}</svg>`).faults, bad).not.toEqual([]);
    }
  });

  it("are there for everything that is sold, under its name, each another", () => {
    const sold = demoCatalog.map(({ handle, title }) => [`products/${handle}.svg`, escapeHtml(title)]);
    const drawn = [...pictures].filter(([path]) => path.startsWith("products/"));
    const titled = drawn.map(([path, svg]) => [path, /<title>([^<]+)</.exec(svg)?.[1]]);
    expect(titled.toSorted()).toEqual(sold.toSorted());
    expect(new Set(pictures.values()).size).toBe(pictures.size);
  });

  it("are there for every address that documents and products name", () => {
    const named = `${JSON.stringify(demoQuizzes)}${JSON.stringify(demoCatalog)}`.matchAll(/https:\/\/[^"]+?\.svg/g);
    const addresses = new Set([...named].map(([address]) => address));
    expect(addresses.size).toBeGreaterThan(40);
    for (const address of addresses) {
      expect(address.startsWith(`${pictureHost}/`), address).toBe(true);
      expect(pictures.has(address.slice(pictureHost.length + 1)), address).toBe(true);
    }
  });
});

describe("addresses of the demo", () => {
  it("lead to whoever serves it, and others stay as they are [demo.pictures]", () => {
    const moved = movedToStorefront("http://localhost:8080");
    const point = (text: string) => moved.reduce((told, [from, to]) => told.replaceAll(from, to), text);
    const told = {
      image_url: `${pictureHost}/quiz/letter.svg`,
      url: `https://${demoShop.shop_domain}/products/gift-card`,
      other: "https://elsewhere.example/products/a",
    };
    expect(JSON.parse(point(JSON.stringify(told)))).toEqual({
      image_url: "http://localhost:8080/demo/pictures/quiz/letter.svg",
      url: "http://localhost:8080/demo/products/gift-card",
      other: "https://elsewhere.example/products/a",
    });
  });
});
