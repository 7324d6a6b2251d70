{{/*
What runs in pods: the services, or one process with all of them. A pod has the traits of all its services.
*/}}
{{- define "surehook.traits" -}}
{{- if eq .Values.mode "single" }}
single-process:
  api: true
  kafka: true
  database: true
  redis: true
  mail: true
  consumes: true
  callers: []
{{- else }}
{{- include "surehook.serviceTraits" . }}
{{- end }}
{{- end -}}

{{/* The services in a pod, as a list under `services`: {root, service}. */}}
{{- define "surehook.members" -}}
{{- $members := list .service -}}
{{- if eq .service "single-process" }}{{ $members = include "surehook.serviceTraits" .root | fromYaml | keys | sortAlpha }}{{ end -}}
{{- dict "services" $members | toYaml -}}
{{- end -}}

{{/*
The traits of the services, from which Deployments, NetworkPolicies, Secrets and so on follow.
  api          has a port for requests
  config       variables of `.Values.config` that it knows
  secrets      variables that it takes from the shared Secret
  graceSeconds what it takes for itself to hand everything back after SIGTERM
  callers      services that ask it
  redis        `optional`: it starts without its REDIS_URL, too
  outward      reaches addresses that tenants name: private ones in the `networks` of its variable, at the `ports` of an egress rule
  history      it accepts another history database: HISTORY_DATABASE_URL
  consumes     has a consumer group: no more replicas than partitions have work
*/}}
{{- define "surehook.serviceTraits" -}}
gateway:
  api: true
  config: [LOG_LEVEL, PUBLIC_URL]
  secrets: []
  callers: []
auth-service:
  api: true
  kafka: true
  database: true
  redis: true
  mail: true
  config: [LOG_LEVEL, PUBLIC_URL, WEBHOOK_RETRY_DELAYS, WEBHOOK_RETRY_LADDER]
  secrets: [KEY_ENCRYPTION_KEY, PLATFORM_ADMIN_TOKEN, SERVICE_TOKEN, SMTP_URL]
  optionalSecrets: [KEY_ENCRYPTION_KEY_PREVIOUS]
  callers: [gateway, data-api, webhook-api]
data-api:
  api: true
  kafka: true
  database: true
  redis: optional
  config: [LOG_LEVEL, PUBLIC_URL, WEBHOOK_RETRY_DELAYS, WEBHOOK_RETRY_LADDER]
  secrets: [SERVICE_TOKEN]
  callers: [gateway]
postgres-source:
  api: true
  kafka: true
  database: true
  redis: optional
  outward: { networks: SOURCE_ALLOWED_NETWORKS, ports: sources }
  config: [LOG_LEVEL, WEBHOOK_RETRY_DELAYS, WEBHOOK_RETRY_LADDER]
  secrets: [KEY_ENCRYPTION_KEY]
  optionalSecrets: [KEY_ENCRYPTION_KEY_PREVIOUS]
  callers: [gateway]
webhook-api:
  api: true
  kafka: true
  database: true
  history: true
  redis: optional
  config: [LOG_LEVEL, PUBLIC_URL, WEBHOOK_MAX_BODY, WEBHOOK_RETRY_DELAYS, WEBHOOK_RETRY_LADDER]
  secrets: [KEY_ENCRYPTION_KEY, PLATFORM_ADMIN_TOKEN_SHA256, SERVICE_TOKEN]
  optionalSecrets: [KEY_ENCRYPTION_KEY_PREVIOUS]
  callers: [gateway]
webhook-matcher:
  kafka: true
  consumes: true
  config: [LOG_LEVEL, WEBHOOK_MAX_BODY, WEBHOOK_RETRY_DELAYS, WEBHOOK_RETRY_LADDER]
  secrets: []
  callers: []
webhook-dispatcher:
  kafka: true
  redis: true
  consumes: true
  outward: { networks: WEBHOOK_ALLOWED_NETWORKS, ports: internet }
  config: [LOG_LEVEL, WEBHOOK_RETRY_DELAYS, WEBHOOK_RETRY_LADDER]
  secrets: [KEY_ENCRYPTION_KEY]
  optionalSecrets: [KEY_ENCRYPTION_KEY_PREVIOUS]
  callers: []
{{- end -}}

{{/*
Seconds that a service takes to hand everything back: {root, service}. The dispatcher ends its attempts first. In one
process the gateway closes before it does.
*/}}
{{- define "surehook.graceSeconds" -}}
{{- $timeout := index .root.Values.services "webhook-dispatcher" "config" "WEBHOOK_TIMEOUT" | default "5s" -}}
{{- $dispatcher := max 10 (add 5 (include "surehook.seconds" $timeout | int)) -}}
{{- if eq .service "webhook-dispatcher" -}}
{{ $dispatcher }}
{{- else if eq .service "single-process" -}}
{{ add 10 $dispatcher }}
{{- else -}}
10
{{- end -}}
{{- end -}}

{{/* Seconds for which a terminating pod still answers: until nobody sends it anything. */}}
{{- define "surehook.preStopSeconds" -}}
{{- $traits := get (include "surehook.traits" .root | fromYaml) .service -}}
{{- if $traits.api }}{{ .root.Values.rollout.preStopSeconds }}{{ else }}0{{ end -}}
{{- end -}}
