import type { Command } from "commander";
import {
  type CommandDeps,
  type CommandRunner,
  type CommonOptions,
  type StoreOption,
  uuidArgument,
  withCommonOptions,
  withStoreOption,
} from "../platform/command-line/commands.ts";
import { UsageError } from "../platform/operator-error.ts";
import { inStoreNamed, storeNamed } from "../stores/public.ts";
import type { ErasureDeps } from "./erase.ts";

/** Loaded when one of the commands runs, since it imports every slice with data about people. */
const work = () => import("./command-work.ts");

/**
 * @param person the command group `quizstore person`
 * @param erasureDeps returns the dependencies of erasures, including each slice's eraser
 */
export function addErasureCommands(
  person: Command,
  { run }: CommandRunner,
  erasureDeps: (deps: CommandDeps) => Promise<ErasureDeps>,
): void {
  withStoreOption(person.command("erase").argument("<profile_id>"))
    .description("erase a person: contacts, emails, phones and free text go everywhere, counts stay")
    .action((profileId: string, options: StoreOption) =>
      run(options, (deps) =>
        inStoreNamed(deps, options.store, async ({ id }) => {
          const erasure = await erasureDeps(deps);
          return (await work()).erasePersonNamed({ ...deps, erasure }, id, uuidArgument("prof", profileId, "a person"));
        }),
      ),
    );
  withStoreOption(person.command("verify-erased").argument("<profile_id>"))
    .description("search database, files and copies for what was erased; exit status 1 when something is found")
    .option("--value <value...>", "an email, a phone or another text that must not be found anywhere")
    .option("--wait <seconds>", "for copies in use to follow", "15")
    .action((profileId: string, options: StoreOption & { value?: string[]; wait: string }) =>
      run({ ...options, json: true }, async (deps) => {
        const { id } = await storeNamed(deps.database.reader(), options.store);
        const result = await (await work()).verifyPerson(deps, id, {
          profileId: uuidArgument("prof", profileId, "a person"),
          values: options.value ?? [],
          waitMs: secondsOf(options.wait) * 1000,
        });
        if (!result.ok) process.exitCode = 1;
        return result;
      }),
    );
  withCommonOptions(person.command("replay-erasures"))
    .description("erase again whom a restored backup has brought back; start does so by itself")
    .option("--ledger <file>", "erasures.ndjson as it was before the restore (default: the one in the data directory)")
    .action((options: CommonOptions & { ledger?: string }) =>
      run(options, async (deps) =>
        (await work()).replayLedger({ ...deps, erasure: await erasureDeps(deps) }, options.ledger),
      ),
    );
}

function secondsOf(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new UsageError("--wait must be a whole number of seconds");
  return Number(text);
}
