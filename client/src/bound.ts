import { type Client, type ClientSettings, createClient } from "./core.ts";
import * as operations from "./generated/operations.ts";

/** All operations as methods of one object, for scripts and servers, where unused code costs nothing [client.small]. */

type Operations = typeof operations;
export type QuizStore = {
  [Name in keyof Operations]: Operations[Name] extends (client: Client, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

export function quizStore(settings: ClientSettings): QuizStore {
  const client = createClient(settings);
  const bind =
    (operation: (client: Client, ...rest: never[]) => unknown) =>
    (...rest: never[]) =>
      operation(client, ...rest);
  const methods = Object.entries(operations).map(([name, operation]) => [name, bind(operation)]);
  return Object.fromEntries(methods);
}
