{{/* What works and is still not as it should be in production, one line each. */}}
{{- define "surehook.warnings" -}}
{{- $gateway := .Values.services.gateway -}}
{{- if and (or .Values.ingress.enabled .Values.httpRoute.enabled) (not $gateway.config.TRUSTED_PROXIES) }}
- services.gateway.config.TRUSTED_PROXIES is empty: all clients count as one, the ingress controller.
{{- end }}
{{- if not $gateway.config.CORS_ALLOWED_ORIGINS }}
- services.gateway.config.CORS_ALLOWED_ORIGINS names no origin: browsers let pages of no other origin than config.PUBLIC_URL call. List the origins of your frontends.
{{- end }}
{{- if not .Values.kafka.tls.enabled }}
- kafka.tls.enabled is off: bodies of webhooks travel in the clear between the pods and Kafka.
{{- end }}
{{- if not .Values.kafka.sasl.mechanism }}{{ if not .Values.kafka.tls.clientCertificate.enabled }}
- Nobody proves to Kafka who they are (kafka.sasl, kafka.tls.clientCertificate): without that there are no rights per service.
{{- end }}{{ end }}
{{- if lt (int .Values.kafka.replicationFactor) 3 }}
- kafka.replicationFactor is {{ .Values.kafka.replicationFactor }}: a broker's disk or a power cut may take what was acknowledged (kafka.allowFewerCopies).
{{- end }}
{{- if not .Values.networkPolicy.enabled }}
- networkPolicy.enabled is off: only the dispatcher's own guard keeps webhooks from private addresses.
{{- end }}
{{- if .Values.networkPolicy.enabled }}
{{- range list "kafka" "schemaRegistry" "postgresql" "redis" "smtp" }}
{{- if not (get $.Values.networkPolicy.egress .).to }}
- networkPolicy.egress.{{ . }} names no destination: the services that need it may connect to every address on its ports.
{{- end }}
{{- end }}
{{- end }}
{{- range $service, $_ := include "surehook.traits" . | fromYaml }}
{{- $own := index $.Values.services $service }}
{{- if and (not $own.autoscaling.enabled) (lt (int $own.replicas) 2) }}
- services.{{ $service }} has one replica: it is away while its node is drained.
{{- end }}
{{- end }}
{{- end -}}
