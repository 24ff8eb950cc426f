/*
 * Who may import whom (docs: architecture). Every file counts its type imports too: a type is knowledge.
 *
 * dependency-cruiser reads TypeScript through swc here, since TypeScript 7 has no compiler API. Without swc it would
 * silently find no TypeScript at all and report success, hence the check by hand.
 * That slices form a DAG is checked by scripts/tidy.ts: the folder rule here would count the tests' imports too.
 */
const swc = require("@swc/core");

// dependency-cruiser asks swc for TypeScript without JSX, whatever a file is called.
const { parseFileSync } = swc;
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith(".tsx") });

const test = "\\.test\\.tsx?$";
/** Files that a slice without a public.ts offers to the others. */
const offered = [
  "^server/columnar-copy/reader\\.ts$",
  "^server/erasure/(erase-store|person-data)\\.ts$",
  "^server/orders/(ingest|catalog|collections|offered-products|rule-catalogs)\\.ts$",
  "^server/profiles/(people|contact-rows|figures|resolve-people|list|recount|overdue)\\.ts$",
  "^server/webhooks/privacy\\.ts$",
  "^server/profiles/search/(check-search|find-people)\\.ts$",
];
const slice = "^server/(?!main/|platform/)([^/]+)/";

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "Two files that need each other are one file, or need a third.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "unresolvable",
      comment: "An import of a file or package that is not there.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "orphan",
      comment: "A file that imports nothing and that nothing imports is left over.",
      severity: "error",
      from: {
        orphan: true,
        pathNot: [
          test,
          "\\.d\\.ts$",
          "^demo/storefront/assets/",
          "^server/reference/assets/",
          "^server/main/",
          "^scripts/",
          "^bench/",
          "\\.cjs$",
        ],
      },
      to: {},
    },
    {
      name: "contract-imports-no-folder",
      comment: "The contract is read by everyone, so it knows no one; its tests may use the testkit.",
      severity: "error",
      from: { path: "^contract/" },
      to: { path: "^(engine|client|dashboard|player|server|journeys|bench|hard|scripts|migrations)/" },
    },
    {
      name: "engine-imports-no-folder",
      comment: "The engine also runs in the browser; its tests may use the testkit.",
      severity: "error",
      from: { path: "^engine/" },
      to: { path: "^(contract|client|dashboard|player|server|journeys|bench|hard|scripts|migrations)/" },
    },
    {
      name: "client-stands-alone",
      comment: "The client is published: what it is made of lies in its folder, and needs no package.",
      severity: "error",
      from: { path: "^client/src/", pathNot: test },
      to: { pathNot: "^client/src/" },
    },
    {
      name: "runs-in-a-browser",
      comment: "The engine, the player, the client and the dashboard use nothing of Node.",
      severity: "error",
      from: { path: "^(engine|player|client|dashboard)/", pathNot: test },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "player-knows-no-server",
      comment: "The player runs in shoppers' browsers; its tests may hold it against the server.",
      severity: "error",
      from: { path: "^player/", pathNot: test },
      to: { path: "^(server|demo|migrations|dashboard)/" },
    },
    {
      name: "dashboard-knows-no-server",
      comment: "The dashboard runs in browsers and knows of the server what the contract says; its tests may ask it.",
      severity: "error",
      from: { path: "^dashboard/", pathNot: test },
      to: { path: "^(server|demo|migrations)/" },
    },
    {
      name: "server-knows-no-player",
      comment: "The server serves the files of player and dashboard, built, and nothing of them runs in it.",
      severity: "error",
      from: { path: "^(server|demo)/", pathNot: test },
      to: { path: "^(player|dashboard)/" },
    },
    {
      name: "platform-knows-no-slice",
      comment: "A platform that imports features cannot carry the next one.",
      severity: "error",
      from: { path: "^server/platform/" },
      to: { path: slice },
    },
    {
      name: "slices-meet-in-public",
      comment:
        "A slice uses of another slice only what its public.ts offers, or the files that are named in `offered`.",
      severity: "error",
      from: { path: slice },
      to: { path: slice, pathNot: ["^server/$1/", "^server/[^/]+/public\\.ts$", ...offered] },
    },
    {
      name: "nobody-imports-main",
      comment:
        "main knows everybody, so whoever knows main knows everybody. The app of a test or benchmark is wired by it.",
      severity: "error",
      from: {
        path: "^(contract|engine|client|dashboard|player|server)/",
        pathNot: ["^server/main/", `^(client|dashboard)/.*${test}`],
      },
      to: { path: "^server/main/" },
    },
    {
      name: "demo-knows-no-server",
      comment: "The demo shop is content: documents, shoppers and orders. Who puts it into a store is in main.",
      severity: "error",
      from: { path: "^demo/", pathNot: test },
      to: { path: "^(server|testkit|journeys|bench|hard|scripts)/" },
    },
    {
      name: "only-main-knows-the-demo",
      comment: "The product does not depend on its demo.",
      severity: "error",
      from: {
        path: "^(contract|engine|client|dashboard|player|server)/",
        pathNot: ["^server/main/", `^(player|dashboard)/.*${test}`],
      },
      to: { path: "^demo/" },
    },
    {
      name: "product-without-testkit",
      comment: "What is delivered must not need what tests it.",
      severity: "error",
      from: { path: "^(contract|engine|client|dashboard|player|server|demo)/", pathNot: test },
      to: { path: "^(testkit|journeys|bench|hard|scripts)/" },
    },
    {
      name: "tests-stand-alone",
      comment: "Nothing imports a test, a journey, a benchmark or a hard test from outside.",
      severity: "error",
      from: { path: "^(contract|engine|client|dashboard|player|server|testkit)/" },
      to: { path: [test, "^(journeys|bench|hard)/"] },
    },
    {
      name: "product-without-dev-packages",
      comment: "An installation without devDependencies lacks it.",
      severity: "error",
      from: { path: "^(contract|engine|client|dashboard|player|server|demo)/", pathNot: test },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["npm", "npm-optional"] },
    },
    {
      name: "packages-are-listed",
      comment: "A package that only another package brings along may vanish with its next version.",
      severity: "error",
      from: { path: "^(contract|engine|client|dashboard|player|server|demo|testkit|journeys|bench|hard|scripts)/" },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
  ],
  options: {
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^client/dist/" },
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      mainFields: ["module", "main", "types", "typings"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".cjs", ".json", ".d.ts"],
    },
    skipAnalysisNotInRules: true,
  },
};
