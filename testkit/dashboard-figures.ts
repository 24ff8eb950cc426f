import type { Page } from "playwright-core";

/** Reads what a page of figures shows, as a person would, without knowing how it is made. */

export interface ReadTable {
  label: string;
  /** by row, then by column: the unrounded value */
  rows: Record<string, Record<string, string>>;
}

/** Every figure on the page by its name, or those in one part of it. */
export const readStats = (page: Page, figure: string): Promise<Record<string, string>> =>
  page.$$eval(`[data-figure="${figure}"] [data-stat]`, (tiles) =>
    Object.fromEntries(
      tiles.map((tile) => [tile.getAttribute("data-stat") ?? "", tile.getAttribute("data-value") ?? ""]),
    ),
  );

/** Rows with figures, in a table or behind bars. */
export const readRows = (page: Page, scope: string): Promise<ReadTable["rows"]> =>
  page.$$eval(`${scope} tbody [data-row]`, (rows) =>
    Object.fromEntries(
      rows.map((row) => [
        row.getAttribute("data-row") ?? "",
        Object.fromEntries(
          [...row.querySelectorAll("[data-column]")].map((cell) => [
            cell.getAttribute("data-column") ?? "",
            cell.getAttribute("data-value") ?? "",
          ]),
        ),
      ]),
    ),
  );

export interface ReadBar {
  row: string;
  column: string;
  value: string;
  /** share of the whole track, between 0 and 1 */
  length: number;
}

export const readBars = (page: Page, figure: string): Promise<ReadBar[]> =>
  page.$$eval(`[data-figure="${figure}"] [data-bar]`, (bars) =>
    bars.map((bar) => ({
      row: bar.closest("[data-row]")?.getAttribute("data-row") ?? "",
      column: bar.getAttribute("data-bar") ?? "",
      value: bar.getAttribute("data-value") ?? "",
      length: bar.getBoundingClientRect().width / (bar.parentElement?.getBoundingClientRect().width ?? Number.NaN),
    })),
  );

/** Points of a line of the chart, in the picture's own units, measured from the top. */
export const readLine = (page: Page, series: string): Promise<{ x: number; y: number }[]> =>
  page.$$eval(`.qs-line-${series} path.recharts-line-curve`, (paths) =>
    paths.flatMap((path) =>
      [...(path.getAttribute("d") ?? "").matchAll(/[ML]\s*(-?[\d.e]+)[ ,](-?[\d.e]+)/g)].map((match) => ({
        x: Number(match[1]),
        y: Number(match[2]),
      })),
    ),
  );

/** The position of zero on a panel's axis, and its largest tick. */
export const readAxis = (page: Page, panel: string): Promise<{ text: string; y: number }[]> =>
  page.$$eval(`[data-panel="${panel}"] .recharts-yAxis-tick-labels text`, (ticks) =>
    ticks.map((tick) => ({ text: tick.textContent ?? "", y: Number(tick.getAttribute("y")) })),
  );

export interface ReadEdge {
  id: string;
  kind: string;
  count: string;
  weight: string;
  stroke: number;
}

export const readEdges = (page: Page): Promise<ReadEdge[]> =>
  page.$$eval("[data-graph] [data-edge]", (paths) =>
    paths.map((path) => ({
      id: path.getAttribute("data-edge") ?? "",
      kind: path.getAttribute("data-kind") ?? "",
      count: path.getAttribute("data-count") ?? "",
      weight: path.getAttribute("data-weight") ?? "",
      stroke: Number(path.getAttribute("stroke-width")),
    })),
  );

export const readNodes = (page: Page): Promise<{ id: string; count: string; ends: Record<string, string> }[]> =>
  page.$$eval("[data-graph] [data-node]", (nodes) =>
    nodes.map((node) => ({
      id: node.getAttribute("data-node") ?? "",
      count: node.getAttribute("data-count") ?? "",
      ends: Object.fromEntries(
        [...node.querySelectorAll("[data-end]")].map((end) => [
          end.getAttribute("data-end") ?? "",
          end.getAttribute("data-count") ?? "",
        ]),
      ),
    })),
  );

export const readSparkline = (page: Page, name: string): Promise<{ values: string; points: number[] }> =>
  page.$eval(`[data-figure="summary"] [data-stat="${name}"] svg`, (svg) => ({
    values: svg.getAttribute("data-values") ?? "",
    // the last stretch leads to today, and begins at the end of the first
    points: [...svg.querySelectorAll("polyline")].flatMap((line, index) =>
      (line.getAttribute("points") ?? "")
        .split(" ")
        .slice(index)
        .map((point) => Number(point.split(",")[1])),
    ),
  }));

/** A value of an answer in the form that the page shows. */
export function told(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "object" && "amount" in value && "currency" in value) return `${value.amount} ${value.currency}`;
  return String(value);
}

/** A row's figures by their names; names of figures in a nested object follow the object's name, as in tables. */
export function toldRow(row: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]): [string, string][] => {
      if (value === null || typeof value !== "object" || "amount" in value) return [[name, told(value)]];
      const group = name.replace(/_by_bucket$/, "").replace(/^totals$/, "revenue");
      return Object.entries(value).map(([inner, one]) => [`${group}_${inner}`, told(one)]);
    }),
  );
}

/** Returns the page's last request whose path ends like this, in the form for somebody with a key. */
export function watchQuestions(page: Page): (end: string) => string {
  const asked: URL[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith("/dashboard/api/v1/")) asked.push(url);
  });
  return (end) => {
    const last = asked.findLast(({ pathname }) => pathname.endsWith(end));
    if (!last) throw new Error(`the page never asked for ${end}`);
    return `${last.pathname.replace("/dashboard/api", "")}${last.search}`;
  };
}

/** Changes the answers to the questions at these addresses, before the page gets them. */
export const changeAnswers = <Body>(
  page: Page,
  asked: RegExp | ((url: URL) => boolean),
  change: (body: Body) => unknown,
): Promise<unknown> =>
  page.route(asked, async (route) => {
    // a page that names the answer it holds could get a 304, without anything to change
    const { "if-none-match": _held, ...headers } = await route.request().allHeaders();
    const response = await route.fetch({ headers });
    await route.fulfill({ response, json: change(await response.json()) });
  });

export interface Clicked {
  /** ms from the click to the paint that follows it */
  answered: number;
  /** ms from the click to the paint that contains what was waited for */
  painted: number;
}

/**
 * Clicks on a tab, or on another element with that name, and waits for its content, measured by the page's own clock.
 */
export const clickTab = (page: Page, tab: string, there: string, among = '[role="tab"]'): Promise<Clicked> =>
  page.evaluate(
    async ([name, selector, clickable]) => {
      const nextPaint = () =>
        new Promise<number>((tell) => requestAnimationFrame(() => setTimeout(() => tell(performance.now()))));
      const button = [...document.querySelectorAll<HTMLElement>(clickable)].find((one) => one.textContent === name);
      if (!button) throw new Error(`there is no ${name}`);
      const begun = performance.now();
      button.click();
      const answered = await nextPaint();
      while (document.querySelector(selector) === null) await nextPaint();
      return { answered: answered - begun, painted: (await nextPaint()) - begun };
    },
    [tab, there, among] as const,
  );

/**
 * How many ms the page takes for a fixed piece of drawing, without any of the product's code: 1,600 lines and words, laid
 * out. Compared with `usualDrawing` it tells how slow the machine is now; its processors change their speed by a factor of
 * three from one minute to the next.
 */
export const drawSample = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const begun = performance.now();
    for (let round = 0; round < 4; round += 1) {
      const box = document.createElement("div");
      const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      box.append(picture);
      for (let index = 0; index < 400; index += 1) {
        const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
        const d = `M${index},0C${index + 10},20 30,${index} 40,50`;
        for (const [name, value] of Object.entries({ d, class: `a b${index}` })) line.setAttribute(name, value);
        picture.append(line);
        const word = document.createElement("span");
        word.textContent = `Line ${index}`;
        box.append(word);
      }
      document.body.append(box);
      box.getBoundingClientRect();
      box.remove();
    }
    return performance.now() - begun;
  });

/** ms of `drawSample` on a usual machine, on which bounds in ms hold as they are written */
export const usualDrawing = 20;
