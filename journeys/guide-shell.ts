import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The guides' shell commands as one script, with the steps that a reader takes between them [reference.guides]. */

const root = join(import.meta.dirname, "..");

export interface Around {
  url: string;
  data: string;
  /** of the demo shop */
  key: string;
  publishableKey: string;
  /** address for the guides' webhooks */
  receiver: string;
  /** the file to pass to node */
  program: string;
}

/** The contents of a page's ```sh blocks. */
export const blocksOf = (page: string): string[] =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);

/** Blocks that are not run here, and why. */
export const notRun: Readonly<Record<string, string>> = {
  "README.md 0": "installs and starts, as every test run does",
  "README.md 1": "is the tests themselves",
  "docs/operations.md 0": "needs systemd",
  "docs/operations.md 1": "needs systemd",
  "docs/operations.md 2": "needs systemd",
  "docs/operations.md 3": "needs a cluster",
  "docs/operations.md 4": "needs systemd",
  "docs/operations.md 5": "needs systemd; journeys/restore.hard.test.ts",
  "docs/operations.md 6": "needs systemd; journeys/restore-dump.hard.test.ts",
  "docs/operations.md 7": "needs systemd; journeys/database-copy.hard.test.ts",
  "docs/operations.md 8": "stays open; journeys/database-copy.hard.test.ts",
  "docs/upgrades.md 0": "needs two releases; journeys/database-copy.hard.test.ts",
  "docs/observability.md 0": "are settings of an environment",
};

export const pages = [
  ...["README.md", "docs/integrators.md", "docs/analytics.md", "docs/people.md", "docs/exports.md", "docs/webhooks.md"],
  ...["docs/accounts.md", "docs/embedding.md", "docs/storefront.md", "docs/commerce.md"],
  ...["docs/operations.md", "docs/observability.md", "docs/upgrades.md", "docs/citus.md"],
];

/** A block by its page and index, or a reader's step between two blocks: looks something up, writes a file. */
type Step = { page: string; block: number } | { does: string };

const from = (page: string, ...blocks: number[]): Step[] => blocks.map((block) => ({ page, block }));
const does = (line: string): Step => ({ does: line });
const asDemo = does('KEY=$DEMO_KEY; QUIZ=$(first "/v1/quizzes?limit=20" "find your daily routine")');

export const plan: readonly Step[] = [
  ...[does("cp docs/examples/tea.json my-quiz.json"), ...from("README.md", 2, 3)],
  ...[does("QUIZSTORE_TEST_KEY=$(made key create --store my-shop.myshopify.com --test --scopes quizzes:write key)")],
  ...from("docs/integrators.md", 0, 1, 2, 3),
  ...[asDemo, ...from("docs/analytics.md", 0, 1)],
  ...from("docs/people.md", 0, 1),
  does('CURSOR=$(field next_cursor "$(get "/v1/profiles?limit=2&has_phone=true")")'),
  ...from("docs/people.md", 2),
  does('PROFILE=$(field id "$(get "/v1/profiles?limit=1")")'),
  ...from("docs/people.md", 3, ...Array.from({ length: 14 }, (_, at) => at + 5)),
  ...from("docs/exports.md", 0),
  does('SELF="$URL_HERE/v1/exports/$(field id "$(get "/v1/exports?limit=1")")"; finished "$SELF"'),
  ...from("docs/exports.md", 1),
  does(`echo '{ "has_email": true }' > search.json`),
  ...from("docs/exports.md", 2),
  ...from("docs/webhooks.md", 0, 1),
  ...from("docs/accounts.md", 0),
  does('VERSION=$(field published_version "$(get "/v1/quizzes/$QUIZ")")'),
  ...from("docs/embedding.md", 0),
  ...from("docs/storefront.md", 0),
  does(
    "PUB=$(said publishable_key); SECRET=$(said commerce_secret); KEY=$(said key); QUIZ=$(said quiz_id); VERSION=$(said version_id)",
  ),
  ...from("docs/storefront.md", 1, 2, 3, 4),
  ...from("docs/commerce.md", 2, 3, 4),
  does('PROFILE=$(field id "$(get "/v1/profiles?q=ada")")'),
  ...from("docs/storefront.md", 5),
  does('tr -d "\\n" < product.json > products.ndjson; tr -d "\\n" < order.json > orders.ndjson'),
  ...from("docs/commerce.md", 5, 6),
  does(
    `echo '{"customer":{"email":"ada@example.com"},"data_request":{"id":1}}' > request.json; shopify customers/data_request request.json`,
  ),
  does("REQUEST=$(made person data-request list --store tea.example.com request_id)"),
  ...from("docs/commerce.md", 1),
];

const recipe = "hard/field/exports.hard.test.ts runs the recipes, in the programs that they are for";

/** Repeats another page, only applies after a merge, or is run by another test. */
export const elsewhere: Readonly<Record<string, string>> = {
  ...Object.fromEntries([3, 4, 5, 6, 7, 8, 9, 10].map((at) => [`docs/exports.md ${at}`, recipe])),
  "docs/commerce.md 0": "makes the shop that docs/storefront.md made",
  "docs/people.md 4":
    "parts people who were made one, of whom a fresh demo shop has none; journeys/people.test.ts has some",
};

/** Commands run this checkout's program, and an HTTP error counts as a failure. */
const opening = ({ url, data, key, program }: Around): string => `set -eEuo pipefail
trap 'echo "failed: $WHERE" >&2' ERR
WHERE=opening
URL_HERE=${url} DEMO_KEY=${key}
export QUIZSTORE_URL=${url} QUIZSTORE_KEY=${key}
quizstore() {
  local bound=(); [ "$1" = listen ] && bound=(timeout --preserve-status -s TERM 5)
  case "$1" in
    mcp) node ${program} "$@" < /dev/null ;;
    *) "\${bound[@]}" node ${program} "$@" --data ${data} | tee -a said ;;
  esac
}
npm() { (cd ${root} && command npm "$@"); }
curl() { case " $* " in *" -fsS "*) command curl "$@" ;; *) command curl --fail-with-body --retry 5 "$@" ;; esac; }
jq() { node -e 'let t="";process.stdin.on("data",(d)=>t+=d).on("end",()=>console.log(JSON.parse(t)[process.argv[1].slice(1)]))' "$2"; }
# what was printed last under a name
said() { grep -o "\\"$1\\": *\\"[^\\"]*\\"" said | tail -1 | cut -d '"' -f 4; }
field() { grep -o "\\"$1\\": *\\"[^\\"]*\\"" <<< "$2" | head -1 | cut -d '"' -f 4; }
# runs a command, and prints the field that stands last
made() { local name="\${@: -1}"; field "$name" "$(quizstore "\${@:1:$#-1}" --json)"; }
get() { curl -s -H "Authorization: Bearer $KEY" "$URL_HERE$1"; }
first() { node -e 'const {data}=JSON.parse(process.argv[1]);console.log(data.find((q)=>q.name.toLowerCase()===process.argv[2]).id)' "$(get "$1")" "$2"; }
finished() { until grep -q '"status":"completed"' <<< "$(curl -s -H "Authorization: Bearer $KEY" "$1")"; do sleep 0.3; done; }
`;

/** Replaces placeholders, as a reader would. */
function filledIn(block: string, page: string, { url, publishableKey, key, receiver }: Around): string {
  const own: [string | RegExp, string][] = [
    ["http://localhost:8080", url],
    ["svc_live_...", key],
    ["svc_test_...", "$QUIZSTORE_TEST_KEY"],
    ["pub_...", publishableKey],
    ["https://hooks.example.com", receiver],
    ["http://localhost:3000", receiver],
    // the newest is first in the printed list
    ["exp_...", "$(grep 'profiles *csv *completed' said | grep -o 'exp_[0-9a-f]*' | head -1)"],
    ["quiz_01a1...", "$QUIZ"],
    ["ver_01a1...", "$VERSION"],
    ["my-shop.example.com", "lumen-fern.myshopify.com"],
  ];
  if (page === "docs/accounts.md" || page === "docs/webhooks.md")
    own.push(["my-shop.myshopify.com", "lumen-fern.myshopify.com"]);
  return own.reduce((text, [from, to]) => text.replaceAll(from, to), block);
}

export function script(around: Around): string {
  const steps = plan.map((step) => {
    if ("does" in step) return `WHERE='before the next block'\n${step.does}\n`;
    const block = blocksOf(step.page)[step.block] ?? "false # there is no such block";
    return `WHERE='${step.page}, block ${step.block}'\necho "== $WHERE"\n${filledIn(block, step.page, around)}\n`;
  });
  return opening(around) + steps.join("\n");
}
