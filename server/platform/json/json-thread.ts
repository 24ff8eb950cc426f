import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { Assembly, type Step } from "./pieces.ts";
import { JsonFault, type JsonRules, readJson } from "./read-json.ts";

/** What is asked of the thread: to parse a text, then one step of its value after the other. */
export type Asked = { id: number; bytes: Uint8Array; rules: JsonRules } | { id: number };
/** `step` null: there are no more. */
export type Reply = { id: number; step: Step | null } | { id: number; fault: string };

/** Texts up to this many bytes take less time to parse than to hand to another thread. */
const parsedHere = 256 * 1024;

interface Waiting {
  assembly: Assembly;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * Parses JSON. A large text is parsed in a thread of its own, and its value taken over in steps, each in a turn of the
 * event loop [api.turns]: taking all of it over at once would take as long as parsing it. The thread is started for the
 * first large text.
 */
export class JsonThread {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #asked = 0;

  /** Throws a JsonFault. */
  async parse(bytes: Uint8Array, rules: JsonRules): Promise<unknown> {
    if (bytes.length <= parsedHere) return readJson(bytes, rules);
    const worker = this.#worker ?? this.#start();
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { assembly: new Assembly(), resolve, reject });
      worker.ref();
      worker.postMessage({ id, bytes, rules } satisfies Asked);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(join(import.meta.dirname, "json-thread-process.ts"));
    this.#worker = worker;
    // one message a turn: the next step is asked for when this one was taken
    worker.on("message", (reply: Reply) => this.#take(worker, reply));
    worker.on("error", (error) => this.#fail(error as Error));
    worker.on("exit", () => this.#fail(new Error("the thread that parses JSON has ended")));
    return worker;
  }

  #take(worker: Worker, reply: Reply): void {
    const { id } = reply;
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    if ("step" in reply && reply.step !== null) {
      waiting.assembly.take(reply.step);
      worker.postMessage({ id } satisfies Asked);
      return;
    }
    this.#waiting.delete(id);
    // it does not keep a process alive that has nothing else to do
    if (this.#waiting.size === 0) worker.unref();
    if ("fault" in reply) waiting.reject(new JsonFault(reply.fault));
    else waiting.resolve(waiting.assembly.value);
  }

  /** The next large text starts another thread. */
  #fail(error: Error): void {
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
