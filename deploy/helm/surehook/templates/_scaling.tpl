{{/* What decides on the number of replicas, `hpa` or `keda`; empty where `replicas` does: {root, service}. */}}
{{- define "surehook.scaledBy" -}}
{{- $own := index .root.Values.services .service -}}
{{- if $own.autoscaling.enabled -}}
{{- if and .root.Values.keda.enabled $own.lag }}keda{{ else }}hpa{{ end -}}
{{- end -}}
{{- end -}}

{{/* Replicas beyond the partitions of a consumer have nothing to do: {root, service}. */}}
{{- define "surehook.checkReplicas" -}}
{{- $traits := get (include "surehook.traits" .root | fromYaml) .service -}}
{{- $own := index .root.Values.services .service -}}
{{- $most := int (ternary $own.autoscaling.maxReplicas $own.replicas $own.autoscaling.enabled) -}}
{{- $partitions := int .root.Values.kafka.partitions -}}
{{- if and $traits.consumes (gt $most $partitions) -}}
{{- fail (printf "services.%s may have %d replicas, and kafka.partitions is %d: the others would have nothing to do" .service $most $partitions) -}}
{{- end -}}
{{- if and $own.autoscaling.enabled (gt (int $own.autoscaling.minReplicas) (int $own.autoscaling.maxReplicas)) -}}
{{- fail (printf "services.%s.autoscaling: minReplicas is larger than maxReplicas" .service) -}}
{{- end -}}
{{- end -}}

{{/* Up at once, down slowly: with each member that comes or goes a consumer group hands partitions over. */}}
{{- define "surehook.scalingBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 0
  policies:
    - type: Pods
      value: 2
      periodSeconds: 60
scaleDown:
  stabilizationWindowSeconds: 300
  policies:
    - type: Pods
      value: 1
      periodSeconds: 120
{{- end -}}

{{/* The credentials with which KEDA reads lags from Kafka, as the user `lag-reader`. */}}
{{- define "surehook.kedaSecrets" -}}
{{- $kafka := .Values.kafka -}}
{{- $own := include "surehook.ownSecret" (dict "root" . "component" "lag-reader" "existingSecret" .Values.keda.existingSecret) -}}
{{- if $kafka.sasl.mechanism }}
- parameter: username
  name: {{ $own }}
  key: KAFKA_SASL_USERNAME
- parameter: password
  name: {{ $own }}
  key: KAFKA_SASL_PASSWORD
{{- end }}
{{- if and $kafka.tls.enabled $kafka.tls.ca.existingSecret }}
- parameter: ca
  name: {{ $kafka.tls.ca.existingSecret }}
  key: {{ $kafka.tls.ca.key }}
{{- end }}
{{- if $kafka.tls.clientCertificate.enabled }}
- parameter: cert
  name: {{ .Values.keda.kafkaCertificateSecret | default (printf "%slag-reader" $kafka.sasl.usernamePrefix) }}
  key: {{ $kafka.tls.clientCertificate.certKey }}
- parameter: key
  name: {{ .Values.keda.kafkaCertificateSecret | default (printf "%slag-reader" $kafka.sasl.usernamePrefix) }}
  key: {{ $kafka.tls.clientCertificate.keyKey }}
{{- end }}
{{- end -}}

{{/* The authority, where a ConfigMap has it (KEDA 2.13 or newer). */}}
{{- define "surehook.kedaConfigMaps" -}}
{{- if and .Values.kafka.tls.enabled .Values.kafka.tls.ca.existingConfigMap }}
- parameter: ca
  name: {{ .Values.kafka.tls.ca.existingConfigMap }}
  key: {{ .Values.kafka.tls.ca.key }}
{{- end }}
{{- end -}}

{{- define "surehook.kedaReferences" -}}
{{- include "surehook.kedaSecrets" . -}}{{- include "surehook.kedaConfigMaps" . -}}
{{- end -}}
