// Checks rendered manifests against the types of Kubernetes: node check-manifests.mjs FILE
import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";

const documents = parseAllDocuments(readFileSync(process.argv[2], "utf8")).map((document) => {
  if (document.errors.length > 0) throw document.errors[0];
  return document.toJS();
});
let checked = 0;
for (const manifest of documents.filter(Boolean)) {
  const { apiVersion, kind } = manifest;
  const place = apiVersion.startsWith("monitoring.coreos.com")
    ? `@kubernetes-models/prometheus-operator/${apiVersion}/${kind}`
    : `kubernetes-models/${apiVersion}/${kind}`;
  const { [kind]: Model } = await import(place);
  new Model(manifest).validate();
  checked += 1;
}
if (checked === 0) throw new Error("nothing was rendered");
process.stdout.write(`${checked} manifests\n`);
