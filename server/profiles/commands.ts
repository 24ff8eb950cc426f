import type { Command } from "commander";
import {
  type CommandRunner,
  type StoreOption,
  uuidArgument,
  withStoreOption,
} from "../platform/command-line/commands.ts";
import { inStoreNamed, storeNamed } from "../stores/public.ts";
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
    .description("list merges: who was merged into whom, when, and what confirmed it; the newest 1,000")
    .action((options: StoreOption) =>
      run(options, async ({ database }) => {
        const { id } = await storeNamed(database.reader(), options.store);
        return (await work()).listMerges(database.reader().forStore(id));
      }),
    );
  withStoreOption(person.command("duplicates"))
    .description("list people who exist twice because of two notations of one phone number or email domain")
    .option("--merge", "merge each into the older of the two; person unmerge undoes it")
    .action(({ merge, ...options }: StoreOption & { merge?: boolean }) =>
      run(options, async ({ database, calendar, random }) => {
        const { id } = await storeNamed(database.reader(), options.store);
        const { listDuplicates, mergeDuplicates } = await import("./duplicates.ts");
        const db = database.reader().forStore(id);
        if (!merge) return listDuplicates(db);
        const deps = { now: calendar.now(), random, rematchOrders: await rematchOrders() };
        return mergeDuplicates(db, (act) => database.transaction((tx) => act(tx.forStore(id))), deps);
      }),
    );
  withStoreOption(
    person.command("unmerge").argument("<profile_id>", "the merged person, or the person they were merged into"),
  )
    .description("undo a merge: contacts, sessions and orders go back, and the two are not merged again")
    .action((profileId: string, options: StoreOption) =>
      run(options, ({ database, calendar, random }) =>
        inStoreNamed({ database, calendar }, options.store, async ({ id }) => {
          const { unmerge } = await work();
          const deps = { now: calendar.now(), random, rematchOrders: await rematchOrders() };
          return database.transaction((tx) =>
            unmerge(tx.forStore(id), uuidArgument("prof", profileId, "a person"), deps),
          );
        }),
      ),
    );
}
