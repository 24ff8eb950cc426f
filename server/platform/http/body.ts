import type { FastifyInstance, FastifyRequest } from "fastify";
import { invalid } from "../problems.ts";
import { findFault, type ScanRules } from "./scan.ts";

/**
 * Request bodies [api.bodies]: JSON for every route, an empty body is `{}`, and every error in one is a 422 of `body`.
 */

export const maxBodyBytes = 1024 * 1024;

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** More than the largest search has: four groups of eight slots of fifty terms, each with up to nine fields. */
const maxFields = 20_000;

export function parseJson(bytes: Buffer, rules: ScanRules = { nul: false, maxFields }): unknown {
  const fault = findFault(bytes, rules);
  if (fault !== null) throw invalid("body", fault);
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw invalid("body", "is not valid UTF-8");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("body", "is not valid JSON");
  }
}

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
  maxBytes: maxBodyBytes,
};

export function acceptJsonBodies(app: FastifyInstance, rules: BodyRules = jsonOnly): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: rules.maxBytes }, (request, bytes, done) => {
    try {
      done(null, readBody(request, bytes as Buffer, rules));
    } catch (error) {
      done(error as Error);
    }
  });
}

function readBody(request: FastifyRequest, bytes: Buffer, rules: BodyRules): unknown {
  if (bytes.length === 0) return {};
  if (request.headers["content-encoding"] !== undefined)
    throw invalid("body", "must be sent without a content encoding");
  if (!rules.contentTypes.test(request.headers["content-type"] ?? "")) {
    throw invalid("body", `must be JSON, sent with ${rules.asked}`);
  }
  return parseJson(bytes, { ...rules, nul: rules.nul || request.routeOptions.config.nul === true });
}
