export { addMcp } from "./command.ts";
export { type NewMcpServer, registerMcp } from "./routes.ts";
