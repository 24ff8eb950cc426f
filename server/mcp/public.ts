export { addMcp } from "./command.ts";
export { type Authenticate, registerMcp } from "./routes.ts";
