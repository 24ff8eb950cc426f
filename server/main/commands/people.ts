import type { Command } from "commander";
import { type CommonOptions, withCommonOptions } from "../../platform/command-line/commands.ts";
import { parseId } from "../../platform/ids.ts";
import { UsageError } from "../../platform/operator-error.ts";
import { storeNamed } from "../../stores/public.ts";
import { runCommand } from "./with.ts";

interface StoreOption extends CommonOptions {
  store: string;
}

/** Loaded when one of the commands runs: it brings every slice that holds something of people with it. */
const work = () => import("../people-work.ts");

export function addPeopleCommands(program: Command): void {
  const person = program
    .command("person")
    .description("shoppers: erase, verify-erased, replay-erasures, merges, unmerge, data-request");
  withCommonOptions(person.command("erase").argument("<profile_id>"))
    .description("erase a person: contacts, emails, phones and free text go everywhere, counts stay")
    .requiredOption("--store <store>", "id or shop domain")
    .action((profileId: string, options: StoreOption) =>
      runCommand(options, async (opened) => {
        const { id } = await storeNamed(opened.database.reader(), options.store);
        return (await work()).erasePersonNamed(opened, id, uuidOf(profileId));
      }),
    );
  withCommonOptions(person.command("verify-erased").argument("<profile_id>"))
    .description("search database, files and copies for what was erased; exit status 1 when something is found")
    .requiredOption("--store <store>", "id or shop domain")
    .option("--value <value...>", "an email, a phone or another text that must not be found anywhere")
    .option("--wait <seconds>", "for copies in use to follow", "15")
    .action((profileId: string, options: StoreOption & { value?: string[]; wait: string }) =>
      runCommand({ ...options, json: true }, async (opened) => {
        const { id } = await storeNamed(opened.database.reader(), options.store);
        const result = await (await work()).verifyPerson(opened, id, {
          profileId: uuidOf(profileId),
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
      runCommand(options, async (opened) => (await work()).replayLedger(opened, options.ledger)),
    );
  addMergeCommands(person);
  addDataRequestCommands(person);
}

function addMergeCommands(person: Command): void {
  withCommonOptions(person.command("merges"))
    .description("list people who were made one: who went to whom, when, confirmed by what; the newest 1,000")
    .requiredOption("--store <store>", "id or shop domain")
    .action((options: StoreOption) =>
      runCommand(options, async (opened) => {
        const { id } = await storeNamed(opened.database.reader(), options.store);
        return (await work()).mergesOf(opened, id);
      }),
    );
  withCommonOptions(person.command("unmerge").argument("<profile_id>", "who is gone, or who took that one over"))
    .description("part two people who were made one: contacts, sessions and orders go back, and the two stay two")
    .requiredOption("--store <store>", "id or shop domain")
    .action((profileId: string, options: StoreOption) =>
      runCommand(options, async (opened) => {
        const { id } = await storeNamed(opened.database.reader(), options.store);
        return (await work()).unmergePerson(opened, id, uuidOf(profileId));
      }),
    );
}

function addDataRequestCommands(person: Command): void {
  const request = person
    .command("data-request")
    .description("customers who asked the platform what is stored about them: list, answer");
  withCommonOptions(request.command("list"))
    .description("list the requests, answered or not; the newest 1,000")
    .requiredOption("--store <store>", "id or shop domain")
    .action((options: StoreOption) =>
      runCommand(options, async (opened) => {
        const { id } = await storeNamed(opened.database.reader(), options.store);
        return (await work()).dataRequestsOf(opened, id);
      }),
    );
  withCommonOptions(request.command("answer").argument("<request_id>"))
    .description("write everything that is stored about a customer into a new file, and close the request")
    .requiredOption("--store <store>", "id or shop domain")
    .requiredOption("--out <file>", "JSON; for the customer's eyes only")
    .action((requestId: string, options: StoreOption & { out: string }) =>
      runCommand(options, async (opened) => {
        const store = await storeNamed(opened.database.reader(), options.store);
        return (await work()).answerDataRequest(opened, store, { requestId, out: options.out });
      }),
    );
}

function secondsOf(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new UsageError("--wait must be a whole number of seconds");
  return Number(text);
}

function uuidOf(profileId: string): string {
  const uuid = parseId("prof", profileId);
  if (uuid === null)
    throw new UsageError(`${profileId} is not the id of a person: prof_ and 32 hexadecimal characters`);
  return uuid;
}
