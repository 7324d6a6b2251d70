{{/*
Limits files/alerts.yaml to this installation: another one in the same Prometheus must not hide a
failure of this one.
*/}}
{{- define "surehook.rules" -}}
{{- $rules := .Files.Get "files/alerts.yaml" | required "files/alerts.yaml is missing in the chart" | fromYaml -}}
{{- range $group := $rules.groups -}}
{{- range $rule := $group.rules -}}
{{- $_ := set $rule "expr" (include "surehook.ownSeries" (dict "root" $ "expr" $rule.expr)) -}}
{{- /* Otherwise recorded series and alerts of two installations would have the same labels. */ -}}
{{- $_ := set $rule "labels" (merge (dict "namespace" $.Release.Namespace) ($rule.labels | default dict)) -}}
{{- end -}}
{{- end -}}
{{- $rules | toYaml -}}
{{- end -}}

{{/* An expression whose every selector names the namespace of this release: {root, expr}. */}}
{{- define "surehook.ownSeries" -}}
{{- $matcher := printf "namespace=%q" .root.Release.Namespace -}}
{{- $expr := regexReplaceAll `\b(surehook[_:][a-zA-Z0-9_:]+|up)\b` .expr (printf "${1}{%s}" $matcher) -}}
{{- /* A selector that had braces has them twice now. */ -}}
{{- $expr = $expr | replace (printf "{%s}{" $matcher) (printf "{%s," $matcher) -}}
{{- with include "surehook.job" .root }}{{ $expr = $expr | replace `job=~".*surehook.*"` (printf "job=%q" .) }}{{ end -}}
{{- $expr -}}
{{- end -}}

{{/* What the Prometheus operator calls the job of our monitor; empty without one. */}}
{{- define "surehook.job" -}}
{{- if .Values.monitoring.serviceMonitor.enabled -}}
{{ include "surehook.fullname" . }}-metrics
{{- else if .Values.monitoring.podMonitor.enabled -}}
{{ .Release.Namespace }}/{{ include "surehook.fullname" . }}
{{- end -}}
{{- end -}}
