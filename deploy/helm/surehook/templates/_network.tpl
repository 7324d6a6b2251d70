{{/* One egress rule: {to, ports}. Without `to` it is about every address, without ports about every TCP port. */}}
{{- define "surehook.egressRule" -}}
- ports:
    {{- range .ports }}
    - port: {{ . | int }}
      protocol: TCP
    {{- else }}
    - protocol: TCP
    {{- end }}
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "surehook.egress.dns" -}}
{{- $dns := .Values.networkPolicy.egress.dns -}}
- ports:
    {{- range $dns.ports }}
    - port: {{ . | int }}
      protocol: UDP
    - port: {{ . | int }}
      protocol: TCP
    {{- end }}
  {{- with $dns.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Kafka and the registry; their ports are those of their addresses where none are named. */}}
{{- define "surehook.egress.kafka" -}}
{{- $egress := .Values.networkPolicy.egress -}}
{{- $kafkaPorts := $egress.kafka.ports | default (include "surehook.brokerPorts" .Values.kafka.brokers | fromJsonArray) -}}
{{- $registryPorts := $egress.schemaRegistry.ports | default (list (include "surehook.urlPort" .Values.schemaRegistry.url)) -}}
{{ include "surehook.egressRule" (dict "to" $egress.kafka.to "ports" $kafkaPorts) }}
{{ include "surehook.egressRule" (dict "to" $egress.schemaRegistry.to "ports" $registryPorts) }}
{{- end -}}

{{/* Public addresses: what is special, private or the cloud's own is not among them. */}}
{{- define "surehook.internet" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      {{- toYaml .Values.networkPolicy.egress.internet.exceptIpv4 | nindent 6 }}
- ipBlock:
    # Global unicast: everything else in IPv6 is not.
    cidr: 2000::/3
    except:
      {{- toYaml .Values.networkPolicy.egress.internet.exceptIpv6 | nindent 6 }}
{{- end -}}

{{/* All that a service may connect to: {root, service}. */}}
{{- define "surehook.egress" -}}
{{- $root := .root -}}
{{- $traits := include "surehook.traits" $root | fromYaml -}}
{{- $mine := get $traits .service -}}
{{- $egress := $root.Values.networkPolicy.egress -}}
{{ include "surehook.egress.dns" $root }}
{{- range $other, $theirs := $traits }}
{{- if has $.service $theirs.callers }}
{{ include "surehook.egressRule" (dict "ports" (list $root.Values.ports.http) "to" (list (dict "podSelector" (dict "matchLabels" (include "surehook.component.selector" (dict "root" $root "component" $other) | fromYaml))))) }}
{{- end }}
{{- end }}
{{- if $mine.kafka }}
{{ include "surehook.egress.kafka" $root }}
{{- end }}
{{- if $mine.database }}
{{ include "surehook.egressRule" $egress.postgresql }}
{{- end }}
{{- if $mine.redis }}
{{ include "surehook.egressRule" $egress.redis }}
{{- end }}
{{- if $mine.mail }}
{{ include "surehook.egressRule" $egress.smtp }}
{{- end }}
{{- range (include "surehook.members" . | fromYaml).services }}
{{- with (index $root.Values.services .).config.AUTH_BREACH_URL }}
{{ include "surehook.egressRule" (dict "ports" (list (include "surehook.urlPort" .)) "to" (include "surehook.internet" $root | fromYamlArray)) }}
{{- end }}
{{- end }}
{{- range $member := (include "surehook.members" . | fromYaml).services }}
{{- with (get (include "surehook.serviceTraits" $root | fromYaml) $member).outward }}
{{- $ports := (get $egress .ports).ports }}
{{ include "surehook.egressRule" (dict "ports" $ports "to" (include "surehook.internet" $root | fromYamlArray)) }}
{{- with get (index $root.Values.services $member).config .networks }}
{{- $blocks := list }}
{{- range splitList "," . }}{{ with trim . }}{{ $blocks = append $blocks (dict "ipBlock" (dict "cidr" .)) }}{{ end }}{{ end }}
{{ include "surehook.egressRule" (dict "to" $blocks "ports" $ports) }}
{{- end }}
{{- end }}
{{- end }}
{{- with $root.Values.tracing.endpoint }}
{{ include "surehook.egressRule" (dict "to" $egress.otlp.to "ports" ($egress.otlp.ports | default (list (include "surehook.urlPort" .)))) }}
{{- end }}
{{- with (index $root.Values.services $.service).extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Who may connect to a service: {root, service}. The kubelet's probes come from the node and need no rule. */}}
{{- define "surehook.ingress" -}}
{{- $root := .root -}}
{{- $mine := get (include "surehook.traits" $root | fromYaml) .service -}}
{{- $ingress := $root.Values.networkPolicy.ingress -}}
{{- if has "gateway" (include "surehook.members" . | fromYaml).services }}
- ports:
    - port: {{ $root.Values.ports.http }}
      protocol: TCP
  {{- with $ingress.gatewayFrom }}
  from:
    {{- toYaml . | nindent 4 }}
    - podSelector:
        matchLabels:
          {{- include "surehook.component.selector" (dict "root" $root "component" "test") | nindent 10 }}
    {{- if $root.Values.operator.toolbox.enabled }}
    - podSelector:
        matchLabels:
          {{- include "surehook.component.selector" (dict "root" $root "component" "toolbox") | nindent 10 }}
    {{- end }}
  {{- end }}
{{- else if $mine.callers }}
- ports:
    - port: {{ $root.Values.ports.http }}
      protocol: TCP
  from:
    {{- range $mine.callers }}
    - podSelector:
        matchLabels:
          {{- include "surehook.component.selector" (dict "root" $root "component" .) | nindent 10 }}
    {{- end }}
{{- end }}
{{- with $ingress.metricsFrom }}
- ports:
    - port: {{ $root.Values.ports.internal }}
      protocol: TCP
  from:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end -}}
