import type { Command } from "commander";
import {
  type CommandRunner,
  type StoreOption,
  uuidArgument,
  withStoreOption,
} from "../platform/command-line/commands.ts";
import { storeNamed } from "../stores/public.ts";
import type { UnmergeDeps } from "./unmerge.ts";

/** Loaded when one of the commands runs. */
const work = () => import("./unmerge.ts");

/**
 * @param person the command group `quizstore person`
 * @param rematchOrders loads the function when a command needs it
 */
export function addMergeCommands(
  person: Command,
  { run }: CommandRunner,
  rematchOrders: () => Promise<UnmergeDeps["rematchOrders"]>,
): void {
  withStoreOption(person.command("merges"))
    .description("list people who were made one: who went to whom, when, confirmed by what; the newest 1,000")
    .action((options: StoreOption) =>
      run(options, async ({ database }) => {
        const { id } = await storeNamed(database.reader(), options.store);
        return (await work()).listMerges(database.reader().forStore(id));
      }),
    );
  withStoreOption(person.command("unmerge").argument("<profile_id>", "who is gone, or who took that one over"))
    .description("part two people who were made one: contacts, sessions and orders go back, and the two stay two")
    .action((profileId: string, options: StoreOption) =>
      run(options, async ({ database, calendar, random }) => {
        const { id } = await storeNamed(database.reader(), options.store);
        const { unmerge } = await work();
        const deps = { now: calendar.now(), random, rematchOrders: await rematchOrders() };
        return database.transaction((tx) =>
          unmerge(tx.forStore(id), uuidArgument("prof", profileId, "a person"), deps),
        );
      }),
    );
}
