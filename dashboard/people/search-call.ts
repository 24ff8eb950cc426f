import type { ProfileSearch } from "../../client/src/index.ts";
import { shellText } from "../ui/shell-text.ts";

/** The API call of a search, for people who want the same result in their own program [dashboard-people.call]. */

export const searchAsCurl = (body: ProfileSearch, baseUrl: string): string =>
  [
    `curl --request POST ${shellText(`${baseUrl}/v1/profiles/search`)}`,
    `--header "Authorization: Bearer $QUIZSTORE_KEY"`,
    `--header 'Content-Type: application/json'`,
    `--data ${shellText(JSON.stringify(body))}`,
  ].join(" \\\n  ");

export const searchAsTypeScript = (body: ProfileSearch, baseUrl: string): string =>
  [
    `import { createClient, type ProfileSearch, searchProfiles } from "@quizstore/client";`,
    "",
    `const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)}, apiKey: process.env.QUIZSTORE_KEY });`,
    `const body: ProfileSearch = ${JSON.stringify(body, null, 2)};`,
    "for await (const person of searchProfiles(client, { body })) console.log(person.id, person.email);",
  ].join("\n");
