import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";

/** Packages on npm that show a quiz or form, installed into a temporary folder and built like a shop would. */

export interface Peer {
  name: string;
  packages: Readonly<Record<string, string>>;
  /** a page's script that shows a form with the package */
  script: string;
  /** further downloads of a shopper that are not in the package */
  remark: string;
}

export const surveyScript = `import { Model } from "survey-core";
  import { renderSurvey } from "survey-js-ui";
  import "survey-core/survey-core.css";
  renderSurvey(new Model(window.surveyModel ?? {}), document.getElementById("quiz"));`;

export const peers: readonly Peer[] = [
  {
    name: "SurveyJS",
    packages: { "survey-core": "2.5.38", "survey-js-ui": "2.5.38" },
    script: surveyScript,
    remark: "all of it, with its styles",
  },
  {
    name: "Typebot",
    packages: { "@typebot.io/js": "0.10.7" },
    script: `import Typebot from "@typebot.io/js/web";
      Typebot.initStandard({ typebot: "my-typebot" });`,
    remark: "all of it; answers are computed by its server",
  },
  {
    name: "Typeform",
    packages: { "@typeform/embed": "6.1.1" },
    script: `import { createWidget } from "@typeform/embed";
      createWidget("abc", { container: document.getElementById("quiz") });`,
    remark: "the frame alone; the application inside it comes from elsewhere",
  },
  {
    name: "Formbricks",
    packages: { "@formbricks/js": "5.1.0" },
    script: `import formbricks from "@formbricks/js";
      formbricks.setup({ environmentId: "abc", appUrl: "https://forms.example" });`,
    remark: "the loader alone; the form comes from its server",
  },
];

export interface BuiltPeer {
  peer: Peer;
  files: { name: string; bytes: number; gzip: number; brotli: number; text: string }[];
}

/** A folder with the packages; npm's scripts are not run. */
export async function installPeers(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "quizstore-peers-"));
  const dependencies = Object.assign({}, ...peers.map(({ packages }) => packages));
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--legacy-peer-deps"];
  await promisify(execFile)("npm", ["install", ...flags], { cwd: folder });
  return folder;
}

export async function buildPeer(folder: string, peer: Peer): Promise<BuiltPeer> {
  const root = join(folder, peer.name);
  await mkdir(root, { recursive: true });
  await writeFile(join(root, "main.js"), peer.script);
  const made = (await build({
    ...{ root, configFile: false, envFile: false, publicDir: false, logLevel: "error", base: "./" },
    build: {
      write: false,
      target: "es2022",
      modulePreload: false,
      rolldownOptions: { input: join(root, "main.js"), output: { entryFileNames: "[name].js" } },
    },
  })) as Rolldown.RolldownOutput;
  const files = made.output.map((part) => {
    const text = part.type === "chunk" ? part.code : Buffer.from(part.source).toString();
    const bytes = Buffer.from(text);
    return {
      name: part.fileName,
      bytes: bytes.length,
      gzip: gzipSync(bytes, { level: 9 }).length,
      brotli: brotliCompressSync(bytes).length,
      text,
    };
  });
  return { peer, files };
}

export const removePeers = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** The installed version, from the package's own package.json. */
export async function installedVersion(folder: string, name: string): Promise<string> {
  return JSON.parse(await readFile(join(folder, "node_modules", name, "package.json"), "utf8")).version;
}
