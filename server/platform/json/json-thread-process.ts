import { parentPort } from "node:worker_threads";
import type { Asked, Reply } from "./json-thread.ts";
import { type Step, stepsOf } from "./pieces.ts";
import { JsonFault, readJson } from "./read-json.ts";

/** The thread of json-thread.ts: parses a text, and hands its value over a step at a time, when it is asked for the next. */

const values = new Map<number, Generator<Step>>();

function answer(asked: Asked): Reply {
  const { id } = asked;
  if ("bytes" in asked) {
    try {
      values.set(id, stepsOf(readJson(asked.bytes, asked.rules)));
    } catch (error) {
      if (error instanceof JsonFault) return { id, fault: error.message };
      throw error;
    }
  }
  const next = values.get(id)?.next();
  if (next && !next.done) return { id, step: next.value };
  values.delete(id);
  return { id, step: null };
}

parentPort?.on("message", (asked: Asked) => parentPort?.postMessage(answer(asked)));
