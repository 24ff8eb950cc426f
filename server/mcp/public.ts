export { addMcp } from "./command.ts";
export { type Authenticate, type NewMcpServer, registerMcp } from "./routes.ts";
