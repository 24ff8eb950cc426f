{{- define "quizstore.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "quizstore.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "quizstore.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "quizstore.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "quizstore.selector" -}}
app.kubernetes.io/name: {{ include "quizstore.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "quizstore.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "quizstore.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "quizstore.serviceAccount" -}}
{{- default (ternary (include "quizstore.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end }}

{{- define "quizstore.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{/* What every container may do: nothing but its own work. */}}
{{- define "quizstore.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "quizstore.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "quizstore.secrets" -}}
envFrom:
  - secretRef:
      name: {{ .Values.secret.name | quote }}
{{- end }}

{{/* A text, whatever --set or a values file took it for: 2 becomes "2", and 1000000 not "1e+06". */}}
{{- define "quizstore.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}
{{ int64 . | quote }}
{{- else -}}
{{ quote . }}
{{- end }}
{{- end }}

{{- define "quizstore.texts" -}}
{{- range $name, $value := . }}
{{ quote $name }}: {{ include "quizstore.text" $value }}
{{- end }}
{{- end }}

{{- define "quizstore.settings" -}}
{{- range $name, $value := .Values.config }}
- name: {{ $name }}
  value: {{ include "quizstore.text" $value }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "quizstore.mounts" -}}
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
  {{- if .Values.exports.claimName }}
  - name: exports
    mountPath: /exports
  {{- end }}
{{- end }}

{{- define "quizstore.volumes" -}}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 64Mi
  - name: data
    {{- if eq .Values.data.kind "claim" }}
    ephemeral:
      volumeClaimTemplate:
        spec:
          accessModes: [ReadWriteOnce]
          {{- with .Values.data.storageClassName }}
          storageClassName: {{ quote . }}
          {{- end }}
          resources:
            requests:
              storage: {{ .Values.data.size }}
    {{- else }}
    emptyDir:
      sizeLimit: {{ .Values.data.size }}
    {{- end }}
  {{- if .Values.exports.claimName }}
  - name: exports
    persistentVolumeClaim:
      claimName: {{ .Values.exports.claimName | quote }}
  {{- end }}
{{- end }}

{{/* At most one pod of a kind on a machine, where there are enough machines. */}}
{{- define "quizstore.placement" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "quizstore.selector" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- include "quizstore.texts" . | trim | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
