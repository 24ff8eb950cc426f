export { ruleAddress, ruleOf } from "./error-rules.ts";
export { registerReference } from "./routes.ts";
