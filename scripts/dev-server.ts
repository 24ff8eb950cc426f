import { parseArgs } from "node:util";
import { runServer } from "../server/main/run-server.ts";
import { devFiles } from "./dev-files.ts";

/** The server that `npm run dev` starts, and starts again when one of its sources changes. */
const { values } = parseArgs({ options: { demo: { type: "boolean" } }, allowNegative: true });
await runServer(values, ["api", "worker"], process.env["DATABASE_URL"] === undefined, async () => devFiles);
