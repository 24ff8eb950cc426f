import type { FastifyInstance, FastifyRequest } from "fastify";
import { JsonThread } from "../json/json-thread.ts";
import { JsonFault } from "../json/read-json.ts";
import { invalid } from "../problems.ts";
import type { ScanRules } from "./scan.ts";

/**
 * Request bodies [api.bodies]: JSON for every route, an empty body is `{}`, and every error in one is a 422 of `body`.
 */

export const maxBodyBytes = 1024 * 1024;

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** More than the largest search has: four groups of eight slots of fifty terms, each with up to nine fields. */
const maxFields = 20_000;

/** As many as the longest lists of a draft have. */
const maxValues = 100_000;

declare module "fastify" {
  interface FastifyContextConfig {
    /** the route only compares texts and stores none, so NUL characters in them are allowed */
    nul?: boolean;
  }
}

export interface BodyRules extends ScanRules {
  contentTypes: RegExp;
  /** how the error names the accepted content types */
  asked: string;
  maxBytes: number;
}

const jsonOnly: BodyRules = {
  contentTypes: jsonType,
  asked: "content-type: application/json",
  nul: false,
  maxFields,
  maxValues,
  maxBytes: maxBodyBytes,
};

export function acceptJsonBodies(app: FastifyInstance, rules: BodyRules = jsonOnly): void {
  app.removeAllContentTypeParsers();
  const thread = new JsonThread();
  app.addHook("onClose", () => thread.close());
  const options = { parseAs: "buffer", bodyLimit: rules.maxBytes } as const;
  app.addContentTypeParser("*", options, (request: FastifyRequest, bytes: Buffer) =>
    readBody(request, bytes, rules, thread),
  );
}

async function readBody(
  request: FastifyRequest,
  bytes: Buffer,
  rules: BodyRules,
  thread: JsonThread,
): Promise<unknown> {
  if (bytes.length === 0) return {};
  if (request.headers["content-encoding"] !== undefined)
    throw invalid("body", "must be sent without a content encoding");
  if (!rules.contentTypes.test(request.headers["content-type"] ?? "")) {
    throw invalid("body", `must be JSON, sent with ${rules.asked}`);
  }
  const { maxFields, maxValues } = rules;
  const nul = rules.nul || request.routeOptions.config.nul === true;
  try {
    return await thread.parse(bytes, { nul, maxFields, maxValues, digits: "number" });
  } catch (error) {
    throw error instanceof JsonFault ? invalid("body", error.message) : error;
  }
}
