{{- define "surehook.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Of every pod of this release. */}}
{{- define "surehook.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "surehook.labels" -}}
{{ include "surehook.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: {{ .Chart.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Of the pods of one component: {root, component}. */}}
{{- define "surehook.component.selector" -}}
{{ include "surehook.selector" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "surehook.component.labels" -}}
{{ include "surehook.labels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* What has metrics: every service, and neither jobs nor tests. */}}
{{- define "surehook.metrics.label" -}}
surehook/metrics: internal
{{- end -}}

{{- define "surehook.component.name" -}}
{{ include "surehook.fullname" .root }}-{{ .component }}
{{- end -}}

{{/* {root, component, image}: `image` holds what differs for one component. */}}
{{- define "surehook.image" -}}
{{- $common := .root.Values.image -}}
{{- $own := .image | default dict -}}
{{- $repository := $own.repository | default (printf "%s/%s" $common.repository .component) -}}
{{- if $common.registry -}}
{{- $repository = printf "%s/%s" $common.registry $repository -}}
{{- else if and (eq $common.pullPolicy "Always") (not $own.digest) (not (regexMatch "^[^/]*[.:][^/]*/" $repository)) -}}
{{- fail (printf "image.registry: the registry that holds your images is needed. %q would be pulled from Docker Hub, where this name may be somebody else's; if it is yours, say docker.io" $repository) -}}
{{- end -}}
{{- if $own.digest -}}
{{- printf "%s@%s" $repository $own.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository ($own.tag | default $common.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* Pod Security `restricted`. */}}
{{- define "surehook.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: {{ .Values.podSecurity.runAsUser }}
runAsGroup: {{ .Values.podSecurity.runAsGroup }}
fsGroup: {{ .Values.podSecurity.fsGroup }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "surehook.containerSecurityContext" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: {{ .Values.podSecurity.runAsUser }}
runAsGroup: {{ .Values.podSecurity.runAsGroup }}
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* Milliseconds of `250ms`, `5s`, `2m`, `1h`: what the services call a duration. */}}
{{- define "surehook.milliseconds" -}}
{{- if not (regexMatch "^[0-9]{1,9}(ms|s|m|h|d)$" .) -}}
{{- fail (printf "%q is not a duration such as 250ms, 5s, 2m, 1h or 1d" .) -}}
{{- end -}}
{{- $amount := regexFind "^[0-9]+" . | int64 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- mul $amount (get (dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 "d" 86400000) $unit) -}}
{{- end -}}

{{/* The same in whole seconds, rounded up. */}}
{{- define "surehook.seconds" -}}
{{- div (add (include "surehook.milliseconds" . | int64) 999) 1000 -}}
{{- end -}}

{{/* Ports of addresses `host:port`, as a JSON list without repetitions. */}}
{{- define "surehook.brokerPorts" -}}
{{- $ports := list -}}
{{- range . -}}{{- $ports = append $ports (regexFind "[0-9]+$" . | int) -}}{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end -}}

{{/* Port of a URL: its own, or that of its scheme. */}}
{{- define "surehook.urlPort" -}}
{{- $url := urlParse . -}}
{{- $given := regexFind ":[0-9]+$" $url.host | trimPrefix ":" -}}
{{- $given | default (ternary "443" "80" (eq $url.scheme "https")) -}}
{{- end -}}
