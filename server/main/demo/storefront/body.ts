import type { FastifyInstance } from "fastify";
import { isObject } from "../../../../engine/read.ts";
import { invalid } from "../../../platform/problems.ts";

/** Request bodies of the storefront: forms, and the JSON of the platform's cart. */

export type Fields = Readonly<Record<string, unknown>>;

export const maxBodyBytes = 16 * 1024;

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

export function acceptForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const options = { parseAs: "string", bodyLimit: maxBodyBytes } as const;
  scope.addContentTypeParser("application/x-www-form-urlencoded", options, (_request, text, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(text)))),
  );
  scope.addContentTypeParser("application/json", options, (_request, text, done) => {
    try {
      done(null, JSON.parse(String(text)));
    } catch {
      done(invalid("body", "is not valid JSON"));
    }
  });
}
