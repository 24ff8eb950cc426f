import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, isProgram, onPath } from "./machine.ts";
import { patience } from "./slowness.ts";

/**
 * Firefox and WebKit for tests, controlled by the W3C's WebDriver commands: Firefox accepts them on its own socket
 * (Marionette), so that geckodriver is not needed, WebKit over HTTP from Debian's webkit2gtk-driver. Code for the page
 * is passed as text, because it runs there and not in Node.
 */

export interface DrivenBrowser {
  name: string;
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Runs the body of a function in the page; its arguments are in `arguments`. */
  run<T>(body: string, ...given: unknown[]): Promise<T>;
  /** Clicks the first element of the expression, such as `document.body`, like a mouse. */
  click(expression: string): Promise<void>;
  /** Types into it. */
  type(expression: string, text: string): Promise<void>;
  /** Presses a single key, in whatever has the focus. */
  press(key: keyof typeof keys): Promise<void>;
  /** Waits until the expression is true in the page, as long as patience lasts. */
  until(expression: string): Promise<void>;
  close(): Promise<void>;
}

const keys = { Tab: "\uE004", Enter: "\uE007", Escape: "\uE00C", Space: " ", ArrowDown: "\uE015" } as const;

type Send = (command: keyof typeof paths, parameters: Record<string, unknown>) => Promise<unknown>;

/** Both browsers' commands, by Marionette's names, with the path and method for HTTP. */
const paths = {
  Navigate: "POST /url",
  Refresh: "POST /refresh",
  ExecuteScript: "POST /execute/sync",
  ElementClick: "POST /element/{id}/click",
  ElementSendKeys: "POST /element/{id}/value",
  PerformActions: "POST /actions",
} as const;

const elementKey = "element-6066-11e4-a52e-4f735466cecf";

function driven(name: string, send: Send, close: () => Promise<void>): DrivenBrowser {
  const run = async <T>(script: string, ...args: unknown[]): Promise<T> => {
    const answer = (await send("ExecuteScript", { script, args })) as { value?: T } | T;
    return (answer !== null && typeof answer === "object" && "value" in answer ? answer.value : answer) as T;
  };
  const find = async (expression: string): Promise<string> => {
    const found = await run<Record<string, string> | null>(`return ${expression}`);
    const id = found?.[elementKey];
    if (id === undefined) throw new Error(`${name}: ${expression} is no element`);
    return id;
  };
  return {
    name,
    run,
    goto: async (url) => void (await send("Navigate", { url })),
    reload: async () => void (await send("Refresh", {})),
    click: async (expression) => void (await send("ElementClick", { id: await find(expression) })),
    type: async (expression, text) => void (await send("ElementSendKeys", { id: await find(expression), text })),
    press: async (key) => {
      const strokes = [
        { type: "keyDown", value: keys[key] },
        { type: "keyUp", value: keys[key] },
      ];
      await send("PerformActions", { actions: [{ type: "key", id: "keyboard", actions: strokes }] });
    },
    until: (expression) => waitUntil(name, run, expression),
    close,
  };
}

export async function waitUntil(name: string, run: DrivenBrowser["run"], expression: string): Promise<void> {
  for (let tries = 0; tries < 200 * patience; tries += 1) {
    if (await run<boolean>(`return Boolean(${expression})`)) return;
    await pause(50);
  }
  throw new Error(`${name}: ${expression} did not come true`);
}

/** null if it is not installed, with a message; an error with CI=true. */
function missing(browser: string, packages: string): null {
  const reason = `${browser} is not installed (Debian: apt-get install ${packages})`;
  if (process.env["CI"] === "true") throw new Error(`${reason}; CI needs it`);
  console.warn(`Tests in ${browser} are skipped: ${reason}`);
  return null;
}

async function waitFor<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < 600 * patience; tries += 1) {
    const found = await look();
    if (found !== null) return found;
    await pause(50);
  }
  throw new Error(`${what} did not come within 30 seconds`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await exited;
  clearTimeout(late);
}

/** Loads nothing but the tests' pages: a new profile would otherwise contact its maker. */
const firefoxSettings: Readonly<Record<string, string | number | boolean>> = {
  "marionette.port": 0,
  "app.normandy.enabled": false,
  "app.update.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "dom.disable_beforeunload": true,
  "extensions.update.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,#remote-settings-dummy/v1",
  "toolkit.telemetry.enabled": false,
};

/** Messages in both directions have the form `LENGTH:JSON`. */
class Marionette {
  readonly #socket: Socket;
  #left = Buffer.alloc(0);
  #last = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes) => this.#read(bytes));
    socket.on("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("Firefox has gone away"));
    });
  }

  send(command: string, parameters: object): Promise<unknown> {
    this.#last += 1;
    const text = JSON.stringify([0, this.#last, command, parameters]);
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#last, answer);
    this.#socket.write(`${Buffer.byteLength(text)}:${text}`);
    return answer.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    this.#left = Buffer.concat([this.#left, bytes]);
    for (;;) {
      const colon = this.#left.indexOf(":");
      const length = colon < 0 ? Number.NaN : Number(this.#left.toString("latin1", 0, colon));
      if (!(this.#left.length >= colon + 1 + length)) return;
      const message = JSON.parse(this.#left.toString("utf8", colon + 1, colon + 1 + length));
      this.#left = this.#left.subarray(colon + 1 + length);
      if (Array.isArray(message)) this.#settle(message as [number, number, { message: string } | null, unknown]);
    }
  }

  #settle([, id, error, result]: [number, number, { message: string } | null, unknown]): void {
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) answer?.reject(new Error(`Firefox: ${error.message}`));
    else answer?.resolve(result);
  }
}

export async function openFirefox(): Promise<DrivenBrowser | null> {
  const binary = onPath("firefox-esr", "firefox");
  if (binary === null) return missing("Firefox", "firefox-esr");
  const profile = await mkdtemp(join(tmpdir(), "quizstore-firefox-"));
  const lines = Object.entries(firefoxSettings).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  await writeFile(join(profile, "user.js"), lines.join("\n"));
  const child = spawn(binary, ["--headless", "--marionette", "--no-remote", "--profile", profile], {
    stdio: "ignore",
    env: { ...process.env, HOME: profile, MOZ_HEADLESS: "1", MOZ_DISABLE_CONTENT_SANDBOX: "1" },
  });
  const close = async () => {
    await end(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const portFile = join(profile, "MarionetteActivePort");
    const port = await waitFor("Firefox", async () => Number(await readFile(portFile, "utf8").catch(() => "")) || null);
    const socket = connect(port, "127.0.0.1");
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    const marionette = new Marionette(socket);
    await marionette.send("WebDriver:NewSession", {});
    const send: Send = (command, parameters) => marionette.send(`WebDriver:${command}`, parameters);
    return driven("Firefox", send, async () => {
      marionette.close();
      await close();
    });
  } catch (error) {
    await close();
    throw error;
  }
}

/** A virtual screen, for programs that need one. */
async function openScreen(): Promise<{ display: string; close: () => Promise<void> }> {
  const child = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  let told = "";
  child.stdio[3]?.on("data", (bytes: Buffer) => {
    told += bytes.toString();
  });
  const number = await waitFor("Xvfb", async () => /^(\d+)\n/.exec(told)?.[1] ?? null);
  return { display: `:${number}`, close: () => end(child) };
}

async function request(origin: string, methodAndPath: string, body: object): Promise<unknown> {
  const [method = "POST", path = "/"] = methodAndPath.split(" ");
  const answer = await fetch(`${origin}${path}`, { method, body: method === "POST" ? JSON.stringify(body) : null });
  const { value } = (await answer.json()) as { value: { error?: string; message?: string } | null };
  if (!answer.ok) throw new Error(`WebKit: ${value?.error}: ${value?.message}`);
  return value;
}

const miniBrowser = (): string | null =>
  onPath("MiniBrowser") ??
  ["4.1", "6.0", "4.0"]
    .flatMap((version) =>
      ["x86_64", "aarch64"].map((machine) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-${version}/MiniBrowser`),
    )
    .find(isProgram) ??
  null;

export async function openWebKit(): Promise<DrivenBrowser | null> {
  const binary = onPath("WebKitWebDriver");
  const browser = miniBrowser();
  if (binary === null || browser === null || onPath("Xvfb") === null)
    return missing("WebKit", "webkit2gtk-driver xvfb");
  const home = await mkdtemp(join(tmpdir(), "quizstore-webkit-"));
  const screen = await openScreen();
  const port = await freePort();
  const child = spawn(binary, [`--port=${port}`, "--host=127.0.0.1"], {
    stdio: "ignore",
    env: {
      ...process.env,
      ...{ HOME: home, XDG_RUNTIME_DIR: home, DISPLAY: screen.display, GDK_BACKEND: "x11" },
      ...{ LIBGL_ALWAYS_SOFTWARE: "1", WEBKIT_DISABLE_COMPOSITING_MODE: "1", NO_AT_BRIDGE: "1" },
    },
  });
  const origin = `http://127.0.0.1:${port}`;
  const close = async () => {
    await end(child);
    await screen.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await waitFor("WebKitWebDriver", () =>
      fetch(`${origin}/status`).then(
        () => true,
        () => null,
      ),
    );
    const options = { binary: browser, args: ["--automation"] };
    const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": options } };
    const { sessionId } = (await request(origin, "POST /session", { capabilities })) as { sessionId: string };
    const send: Send = (command, { id, ...body }) => {
      const path = paths[command].replace(" ", ` /session/${sessionId}`).replace("{id}", String(id));
      return request(origin, path, body);
    };
    return driven("WebKit", send, async () => {
      await request(origin, `DELETE /session/${sessionId}`, {}).catch(() => undefined);
      await close();
    });
  } catch (error) {
    await close();
    throw error;
  }
}
