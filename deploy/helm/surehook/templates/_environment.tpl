{{/*
The environment of a pod. The ConfigMap of its component has the values that are not secret; secrets
are references. A test passes the result to the configuration readers of the services.
*/}}

{{/* A value as a variable holds it: whole numbers without an exponent. */}}
{{- define "surehook.text" -}}
{{- if kindIs "float64" . }}{{ int64 . }}{{ else }}{{ toString . }}{{ end -}}
{{- end -}}

{{/* Where a certificate authority lies: {name, ca, variable}. Empty when none is given. */}}
{{- define "surehook.caFile" -}}
{{- if or .ca.existingSecret .ca.existingConfigMap }}{{ printf "/etc/surehook/%s/%s" .name .ca.key }}{{ end -}}
{{- end -}}

{{/* The variables of Kafka and the registry for a client that connects as `user`: {root, user}. */}}
{{- define "surehook.config.kafka" -}}
{{- $kafka := .root.Values.kafka -}}
{{- $registry := .root.Values.schemaRegistry -}}
{{- $config := dict
  "KAFKA_BROKERS" (required "kafka.brokers: the addresses of Kafka (host:port) are needed" (join "," $kafka.brokers))
  "KAFKA_PARTITIONS" ($kafka.partitions | int | toString)
  "KAFKA_REPLICATION_FACTOR" ($kafka.replicationFactor | int | toString)
  "SCHEMA_REGISTRY_URL" (required "schemaRegistry.url: the address of the schema registry is needed" $registry.url)
-}}
{{- if $kafka.tls.enabled }}{{ $_ := set $config "KAFKA_TLS" "true" }}{{ end -}}
{{- with include "surehook.caFile" (dict "name" "kafka-ca" "ca" $kafka.tls.ca) }}{{ $_ := set $config "KAFKA_CA_FILE" . }}{{ end -}}
{{- with $kafka.tls.clientCertificate }}{{ if .enabled -}}
{{- $_ := set $config "KAFKA_CERT_FILE" (printf "/etc/surehook/kafka-certificate/%s" .certKey) -}}
{{- $_ := set $config "KAFKA_KEY_FILE" (printf "/etc/surehook/kafka-certificate/%s" .keyKey) -}}
{{- end }}{{ end -}}
{{- if $kafka.sasl.mechanism -}}
{{- $_ := set $config "KAFKA_SASL_MECHANISM" $kafka.sasl.mechanism -}}
{{- $_ := set $config "KAFKA_SASL_USERNAME" (printf "%s%s" $kafka.sasl.usernamePrefix .user) -}}
{{- end -}}
{{- with include "surehook.caFile" (dict "name" "registry-ca" "ca" $registry.ca) }}{{ $_ := set $config "SCHEMA_REGISTRY_CA_FILE" . }}{{ end -}}
{{- with $registry.username }}{{ $_ := set $config "SCHEMA_REGISTRY_USERNAME" . }}{{ end -}}
{{- $config | toYaml -}}
{{- end -}}

{{/* `DATABASE_URL` of data-api where services share a process: `DATABASE_URL_DATA_API`. {name, service} */}}
{{- define "surehook.ownName" -}}
{{ .name }}_{{ .service | upper | replace "-" "_" }}
{{- end -}}

{{/* All that the ConfigMap of a pod holds: {root, service}. */}}
{{- define "surehook.config" -}}
{{- if eq .service "single-process" -}}
{{- include "surehook.singleConfig" .root -}}
{{- else -}}
{{- include "surehook.serviceConfig" . -}}
{{- end -}}
{{- end -}}

{{/* The variables of all services. Where values differ, the name ends with the service. */}}
{{- define "surehook.singleConfig" -}}
{{- $configs := dict -}}
{{- range $service, $traits := include "surehook.serviceTraits" . | fromYaml -}}
{{- $config := omit (include "surehook.serviceConfig" (dict "root" $ "service" $service) | fromYaml) "AUTH_SERVICE_URL" "DATA_API_URL" "POSTGRES_SOURCE_URL" "WEBHOOK_API_URL" -}}
{{- range $name := list "KAFKA_CERT_FILE" "KAFKA_KEY_FILE" -}}
{{- with get $config $name }}{{ $_ := set $config $name (replace "/kafka-certificate/" (printf "/kafka-certificate-%s/" $service) .) }}{{ end -}}
{{- end -}}
{{- /* What the values set for one service must not reach the others. */ -}}
{{- range $name, $value := (index $.Values.services $service).config -}}
{{- if hasKey $config $name -}}
{{- $_ := set $config (include "surehook.ownName" (dict "name" $name "service" $service)) (get $config $name) -}}
{{- $config = omit $config $name -}}
{{- end -}}
{{- end -}}
{{- $_ := set $configs $service $config -}}
{{- end -}}
{{- include "surehook.together" $configs -}}
{{- end -}}

{{/* Variables by service as one list of variables. */}}
{{- define "surehook.together" -}}
{{- $found := dict -}}
{{- range $service, $variables := . -}}
{{- range $name, $value := $variables }}{{ $_ := set $found $name (append (get $found $name | default list) (toJson $value) | uniq) }}{{ end -}}
{{- end -}}
{{- $together := dict -}}
{{- range $service, $variables := . -}}
{{- range $name, $value := $variables -}}
{{- $isOne := eq (len (get $found $name)) 1 -}}
{{- $_ := set $together (ternary $name (include "surehook.ownName" (dict "name" $name "service" $service)) $isOne) $value -}}
{{- end -}}
{{- end -}}
{{- $together | toYaml -}}
{{- end -}}

{{/* All that a service is told besides its secrets: {root, service}. */}}
{{- define "surehook.serviceConfig" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $traits := get (include "surehook.serviceTraits" $root | fromYaml) .service -}}
{{- $config := dict "HOST" $values.listenAddress "INTERNAL_PORT" ($values.ports.internal | int | toString) -}}
{{- if $traits.api }}{{ $_ := set $config "PORT" ($values.ports.http | int | toString) }}{{ end -}}
{{- if has "PUBLIC_URL" $traits.config -}}
{{- $_ := required "config.PUBLIC_URL: the address at which clients reach the gateway is needed" $values.config.PUBLIC_URL -}}
{{- end -}}
{{- range $name := $traits.config -}}
{{- with get $values.config $name }}{{ $_ := set $config $name (include "surehook.text" .) }}{{ end -}}
{{- end -}}
{{- if $traits.kafka -}}
{{- $config = merge $config (include "surehook.config.kafka" (dict "root" $root "user" .service) | fromYaml) -}}
{{- $_ := set $config "KAFKA_CREATE_TOPICS" "false" -}}
{{- end -}}
{{- if $traits.database -}}
{{- with include "surehook.caFile" (dict "name" "database-ca" "ca" $values.postgresql.ca) }}{{ $_ := set $config "DATABASE_CA_FILE" . }}{{ end -}}
{{- end -}}
{{- if $traits.redis -}}
{{- with include "surehook.caFile" (dict "name" "redis-ca" "ca" $values.redis.ca) }}{{ $_ := set $config "REDIS_CA_FILE" . }}{{ end -}}
{{- end -}}
{{- $config = merge $config (include "surehook.config.tracing" . | fromYaml) -}}
{{- $config = merge $config (include (printf "surehook.config.%s" .service) $root | fromYaml) -}}
{{- range $name, $value := (index $values.services .service).config -}}
{{- if not (kindIs "invalid" $value) }}{{ $_ := set $config $name (include "surehook.text" $value) }}{{ end -}}
{{- end -}}
{{- /* What is taken from a Secret after all is not told twice. */ -}}
{{- range $name, $_ := (index $values.services .service).secretRefs }}{{ $config = omit $config $name }}{{ end -}}
{{- $config | toYaml -}}
{{- end -}}

{{- define "surehook.config.tracing" -}}
{{- $tracing := .root.Values.tracing -}}
{{- if $tracing.endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ $tracing.endpoint | quote }}
OTEL_SERVICE_NAME: {{ .service }}
OTEL_TRACES_SAMPLER_ARG: {{ $tracing.samplerArg | quote }}
{{- end }}
{{- end -}}

{{- define "surehook.config.gateway" -}}
AUTH_SERVICE_URL: {{ include "surehook.serviceUrl" (dict "root" . "service" "auth-service") }}
DATA_API_URL: {{ include "surehook.serviceUrl" (dict "root" . "service" "data-api") }}
POSTGRES_SOURCE_URL: {{ include "surehook.serviceUrl" (dict "root" . "service" "postgres-source") }}
WEBHOOK_API_URL: {{ include "surehook.serviceUrl" (dict "root" . "service" "webhook-api") }}
{{- /* Browsers write an origin without the scheme's default port. */}}
{{- $origin := regexFind "^https?://[^/?#]+" (lower .Values.config.PUBLIC_URL) }}
CORS_ALLOWED_ORIGINS: {{ regexReplaceAll "^(https://.+):443$|^(http://.+):80$" $origin "${1}${2}" | quote }}
{{- end -}}

{{/* libuv's threads are taken by password hashes; signatures, files and names need some too. */}}
{{- define "surehook.config.auth-service" -}}
AUTH_TRUSTED_PROXIES: {{ join "," .Values.network.podCidrs | quote }}
{{- $own := (index .Values.services "auth-service").config }}
UV_THREADPOOL_SIZE: {{ add (int $own.AUTH_HASH_CONCURRENCY) 4 | toString | quote }}
{{- end -}}

{{- define "surehook.config.data-api" -}}
AUTH_TRUSTED_PROXIES: {{ join "," .Values.network.podCidrs | quote }}
AUTH_SERVICE_URL: {{ include "surehook.serviceUrl" (dict "root" . "service" "auth-service") }}
{{- end -}}

{{- define "surehook.config.postgres-source" -}}{}{{- end -}}

{{- define "surehook.config.webhook-api" -}}
AUTH_TRUSTED_PROXIES: {{ join "," .Values.network.podCidrs | quote }}
AUTH_SERVICE_URL: {{ include "surehook.serviceUrl" (dict "root" . "service" "auth-service") }}
{{- end -}}

{{- define "surehook.config.webhook-matcher" -}}{}{{- end -}}

{{- define "surehook.config.webhook-dispatcher" -}}
{{- $ca := (index .Values.services "webhook-dispatcher").extraCa -}}
{{- with include "surehook.caFile" (dict "name" "webhook-ca" "ca" $ca) }}
WEBHOOK_EXTRA_CA_FILE: {{ . }}
{{- end }}
{{- end -}}

{{- define "surehook.serviceUrl" -}}
http://{{ include "surehook.component.name" (dict "root" .root "component" .service) }}:{{ .root.Values.ports.http }}
{{- end -}}

{{- define "surehook.sharedSecret" -}}
{{- .Values.secrets.existingSecret | default (printf "%s-secrets" (include "surehook.fullname" .)) -}}
{{- end -}}

{{/* The Secret of one component: {root, component, existingSecret}. */}}
{{- define "surehook.ownSecret" -}}
{{- .existingSecret | default (printf "%s-secrets" (include "surehook.component.name" .)) -}}
{{- end -}}

{{/* The places of a service's secrets by variable: {root, service}. The key of a variable is its name; `secretRefs` names others. */}}
{{- define "surehook.secretPlaces" -}}
{{- $root := .root -}}
{{- $traits := get (include "surehook.serviceTraits" $root | fromYaml) .service -}}
{{- $values := index $root.Values.services .service -}}
{{- $shared := include "surehook.sharedSecret" $root -}}
{{- $own := include "surehook.ownSecret" (dict "root" $root "component" .service "existingSecret" $values.existingSecret) -}}
{{- $refs := dict -}}
{{- range $traits.secrets }}{{ $_ := set $refs . (dict "name" $shared) }}{{ end -}}
{{- range $traits.optionalSecrets }}{{ $_ := set $refs . (dict "name" $shared "optional" true) }}{{ end -}}
{{- if $traits.database }}{{ $_ := set $refs "DATABASE_URL" (dict "name" $own) }}{{ end -}}
{{- if $traits.history }}{{ $_ := set $refs "HISTORY_DATABASE_URL" (dict "name" $own "optional" true) }}{{ end -}}
{{- if $traits.redis }}{{ $_ := set $refs "REDIS_URL" (dict "name" $own) }}{{ end -}}
{{- if eq (toString $traits.redis) "optional" }}{{ $_ := set $refs "REDIS_URL" (dict "name" $own "optional" true) }}{{ end -}}
{{- if and $traits.kafka $root.Values.kafka.sasl.mechanism }}{{ $_ := set $refs "KAFKA_SASL_PASSWORD" (dict "name" $own) }}{{ end -}}
{{- if and $traits.kafka $root.Values.schemaRegistry.username }}{{ $_ := set $refs "SCHEMA_REGISTRY_PASSWORD" (dict "name" $shared) }}{{ end -}}
{{- range $name, $ref := $values.secretRefs }}{{ $_ := set $refs $name $ref }}{{ end -}}
{{- range $name, $ref := $refs }}{{ $_ := set $refs $name (merge (dict "key" ($ref.key | default $name)) $ref) }}{{ end -}}
{{- $refs | toYaml -}}
{{- end -}}

{{/*
The variables of a pod that are secrets, as an `env` list: {root, service}. Not `envFrom`: a pod would get every key
that somebody adds, and a missing key would show late.
*/}}
{{- define "surehook.secretEnv" -}}
{{- $places := dict -}}
{{- range (include "surehook.members" . | fromYaml).services -}}
{{- $_ := set $places . (include "surehook.secretPlaces" (dict "root" $.root "service" .) | fromYaml) -}}
{{- end -}}
{{- $refs := include "surehook.together" $places | fromYaml -}}
{{- range $name := keys $refs | sortAlpha }}
{{- $ref := get $refs $name }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $ref.name }}
      key: {{ $ref.key }}
      {{- if $ref.optional }}
      optional: true
      {{- end }}
{{- end }}
{{- end -}}

{{/*
Files of a component, as a list under `files`: {root, component, kafka, database, redis, extraCa}.
Whole folders are mounted, so that a renewed certificate comes to the process without a new pod.
*/}}
{{- define "surehook.files" -}}
{{- $values := .root.Values -}}
{{- $cas := list -}}
{{- if .kafka -}}
{{- $cas = append $cas (dict "name" "kafka-ca" "ca" $values.kafka.tls.ca) -}}
{{- $cas = append $cas (dict "name" "registry-ca" "ca" $values.schemaRegistry.ca) -}}
{{- end -}}
{{- if .database }}{{ $cas = append $cas (dict "name" "database-ca" "ca" $values.postgresql.ca) }}{{ end -}}
{{- if .redis }}{{ $cas = append $cas (dict "name" "redis-ca" "ca" $values.redis.ca) }}{{ end -}}
{{- with .extraCa }}{{ $cas = append $cas (dict "name" "webhook-ca" "ca" .) }}{{ end -}}
{{- $files := list -}}
{{- range $cas -}}
{{- if .ca.existingSecret -}}
{{- $files = append $files (dict "name" .name "source" (dict "secret" (dict "secretName" .ca.existingSecret "items" (list (dict "key" .ca.key "path" .ca.key))))) -}}
{{- else if .ca.existingConfigMap -}}
{{- $files = append $files (dict "name" .name "source" (dict "configMap" (dict "name" .ca.existingConfigMap "items" (list (dict "key" .ca.key "path" .ca.key))))) -}}
{{- end -}}
{{- end -}}
{{- if and .kafka $values.kafka.tls.clientCertificate.enabled -}}
{{- if eq .component "single-process" -}}
{{- range $service, $traits := include "surehook.serviceTraits" .root | fromYaml }}{{ if $traits.kafka -}}
{{- $files = append $files (include "surehook.kafkaCertificate" (dict "root" $.root "name" (printf "kafka-certificate-%s" $service) "user" $service "secret" (index $values.services $service).kafkaCertificateSecret) | fromYaml) -}}
{{- end }}{{ end -}}
{{- else -}}
{{- $files = append $files (include "surehook.kafkaCertificate" (dict "root" .root "name" "kafka-certificate" "user" .component "secret" .certificateSecret) | fromYaml) -}}
{{- end -}}
{{- end -}}
{{- dict "files" $files | toYaml -}}
{{- end -}}

{{/* {root, name, user, secret} */}}
{{- define "surehook.kafkaCertificate" -}}
{{- $secret := .secret | default (printf "%s%s" .root.Values.kafka.sasl.usernamePrefix .user) -}}
{{- dict "name" .name "source" (dict "secret" (dict "secretName" $secret "defaultMode" 288)) | toYaml -}}
{{- end -}}

{{/* The volumes of what `surehook.files` found, and a place for temporary files. */}}
{{- define "surehook.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: {{ .root.Values.tmpSizeLimit }}
{{- range (include "surehook.files" . | fromYaml).files }}
- name: {{ .name }}
  {{- toYaml .source | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "surehook.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- range (include "surehook.files" . | fromYaml).files }}
- name: {{ .name }}
  mountPath: /etc/surehook/{{ .name }}
  readOnly: true
{{- end }}
{{- end -}}
