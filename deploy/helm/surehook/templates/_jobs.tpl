{{/* What the operators' command is told of its connections: {root, database, kafka}. */}}
{{- define "surehook.operatorConfig" -}}
{{- $values := .root.Values -}}
{{- $config := dict "LOG_LEVEL" "warn" -}}
{{- if .database -}}
{{- with include "surehook.caFile" (dict "name" "database-ca" "ca" $values.postgresql.ca) }}{{ $_ := set $config "DATABASE_CA_FILE" . }}{{ end -}}
{{- end -}}
{{- if .kafka -}}
{{- $config = merge $config (include "surehook.config.kafka" (dict "root" .root "user" "operator") | fromYaml) -}}
{{- $_ := set $config "WEBHOOK_RETRY_DELAYS" $values.config.WEBHOOK_RETRY_DELAYS -}}
{{- with $values.config.WEBHOOK_RETRY_LADDER }}{{ $_ := set $config "WEBHOOK_RETRY_LADDER" . }}{{ end -}}
{{- end -}}
{{- $config | toYaml -}}
{{- end -}}

{{/* Its secrets: {root, database, kafka}. */}}
{{- define "surehook.operatorSecrets" -}}
{{- $root := .root -}}
{{- $operator := $root.Values.operator -}}
{{- $own := include "surehook.ownSecret" (dict "root" $root "component" "operator" "existingSecret" $operator.existingSecret) -}}
{{- $places := dict -}}
{{- if .database -}}
{{- range list "DATABASE_URL" "HISTORY_DATABASE_URL" "DATABASE_PASSWORD_AUTH_SERVICE" "DATABASE_PASSWORD_DATA_API" "DATABASE_PASSWORD_POSTGRES_SOURCE" "DATABASE_PASSWORD_WEBHOOK_API" }}{{ $_ := set $places . $own }}{{ end -}}
{{- end -}}
{{- if and .kafka $root.Values.kafka.sasl.mechanism }}{{ $_ := set $places "KAFKA_SASL_PASSWORD" $own }}{{ end -}}
{{- if and .kafka $root.Values.schemaRegistry.username }}{{ $_ := set $places "SCHEMA_REGISTRY_PASSWORD" (include "surehook.sharedSecret" $root) }}{{ end -}}
{{- range $variable, $secret := $places }}
{{- $ref := get $operator.secretRefs $variable | default (dict "name" $secret) }}
{{ include "surehook.secretRef" (dict "variable" $variable "name" $ref.name "key" $ref.key "optional" (eq $variable "HISTORY_DATABASE_URL")) }}
{{- end }}
{{- end -}}

{{/* A pod of the operators' command: {root, component, args, config, env, files}; with `command`, that instead, for ever. */}}
{{- define "surehook.operatorPod" -}}
{{- $root := .root -}}
{{- $operator := $root.Values.operator -}}
metadata:
  labels:
    {{- include "surehook.component.labels" (dict "root" $root "component" .component) | nindent 4 }}
  {{- with $root.Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  restartPolicy: {{ ternary "Always" "Never" (hasKey . "command") }}
  serviceAccountName: {{ .serviceAccount }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  securityContext:
    {{- include "surehook.podSecurityContext" $root | nindent 4 }}
  {{- with $root.Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: operator
      image: {{ include "surehook.image" (dict "root" $root "component" "operator-cli" "image" $operator.image) }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      securityContext:
        {{- include "surehook.containerSecurityContext" $root | nindent 8 }}
      {{- if hasKey . "command" }}
      command: {{ toJson .command }}
      {{- else }}
      args: {{ toJson .args }}
      {{- end }}
      env:
        {{- range $name, $value := .config }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- with .env }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with $operator.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with .port }}
      ports:
        - name: receiver
          containerPort: {{ . }}
          protocol: TCP
      readinessProbe:
        tcpSocket:
          port: receiver
        periodSeconds: 2
      {{- end }}
      resources:
        {{- toYaml $operator.resources | nindent 8 }}
      volumeMounts:
        {{- include "surehook.volumeMounts" .files | nindent 8 }}
        {{- with .mounts }}
        {{- . | nindent 8 }}
        {{- end }}
  volumes:
    {{- include "surehook.volumes" .files | nindent 4 }}
    {{- with .volumes }}
    {{- . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "surehook.hook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ .weight | quote }}
# What failed stays to be looked at until the next try.
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{- define "surehook.secretRef" -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ .name }}
      key: {{ .key | default .variable }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end -}}

{{/* {weight, keep}: the pod is kept until the next test, for its log. */}}
{{- define "surehook.testHook" -}}
helm.sh/hook: test
helm.sh/hook-weight: {{ .weight | quote }}
helm.sh/hook-delete-policy: {{ ternary "before-hook-creation" "before-hook-creation,hook-succeeded" (default false .keep) }}
{{- end -}}
