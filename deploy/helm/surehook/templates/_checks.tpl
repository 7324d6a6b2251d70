{{/*
Refuses values with which a service would not start, and values that may lose data. Otherwise a
release would show one fault per crash.
*/}}
{{- define "surehook.checks" -}}
{{- $kafka := .Values.kafka -}}
{{- if not $kafka.tls.enabled -}}
{{- if or $kafka.tls.ca.existingSecret $kafka.tls.ca.existingConfigMap -}}
{{- fail "kafka.tls.ca requires kafka.tls.enabled: no service would start without it" -}}
{{- end -}}
{{- if $kafka.tls.clientCertificate.enabled -}}
{{- fail "kafka.tls.clientCertificate requires kafka.tls.enabled: no service would start without it" -}}
{{- end -}}
{{- end -}}
{{- if and (lt (int $kafka.replicationFactor) 3) (not $kafka.allowFewerCopies) -}}
{{- fail (printf "kafka.replicationFactor is %d: a broker's disk or a power cut may take what was acknowledged. Run three brokers and set 3, which sets min.insync.replicas to 2; or set kafka.allowFewerCopies where a loss does not matter" (int $kafka.replicationFactor)) -}}
{{- end -}}
{{- $registry := .Values.schemaRegistry -}}
{{- if and (hasPrefix "http:" $registry.url) (or $registry.ca.existingSecret $registry.ca.existingConfigMap) -}}
{{- fail "schemaRegistry.ca requires an https schemaRegistry.url: no service would start without it" -}}
{{- end -}}
{{- include "surehook.checkDurations" . -}}
{{- end -}}

{{/* As the services' src/config.ts has them. */}}
{{- define "surehook.checkDurations" -}}
{{- range list
  (list "auth-service" "AUTH_KEY_LEAD" "5m" "7d")
  (list "webhook-api" "WEBHOOK_DISABLE_AFTER" "100ms" "365d")
  (list "webhook-dispatcher" "WEBHOOK_TIMEOUT" "100ms" "60s")
  (list "webhook-dispatcher" "WEBHOOK_CIRCUIT_COOLDOWN" "100ms" "24h")
-}}
{{- $service := index . 0 -}}
{{- $name := index . 1 -}}
{{- $value := get (index $.Values.services $service).config $name -}}
{{- if and $value (ne $value "0") -}}
{{- include "surehook.checkDuration" (dict "name" (printf "services.%s.config.%s" $service $name) "value" $value "least" (index . 2) "most" (index . 3)) -}}
{{- end -}}
{{- end -}}
{{- range splitList "," .Values.config.WEBHOOK_RETRY_DELAYS -}}
{{- include "surehook.checkDuration" (dict "name" "config.WEBHOOK_RETRY_DELAYS" "value" . "least" "10ms" "most" "7d") -}}
{{- end -}}
{{- with .Values.config.WEBHOOK_RETRY_LADDER -}}
{{- $ladder := splitList "," . -}}
{{- range $ladder -}}
{{- include "surehook.checkDuration" (dict "name" "config.WEBHOOK_RETRY_LADDER" "value" . "least" "10ms" "most" "7d") -}}
{{- end -}}
{{- range splitList "," $.Values.config.WEBHOOK_RETRY_DELAYS -}}
{{- if not (has . $ladder) -}}
{{- fail (printf "config.WEBHOOK_RETRY_LADDER must have %s of config.WEBHOOK_RETRY_DELAYS" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* {name, value, least, most} */}}
{{- define "surehook.checkDuration" -}}
{{- $ms := include "surehook.milliseconds" .value | int64 -}}
{{- if or (lt $ms (include "surehook.milliseconds" .least | int64)) (gt $ms (include "surehook.milliseconds" .most | int64)) -}}
{{- fail (printf "%s: %q must be %s to %s" .name .value .least .most) -}}
{{- end -}}
{{- end -}}
