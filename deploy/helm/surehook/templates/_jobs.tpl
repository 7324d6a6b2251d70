{{/* A pod of the operators' command: {root, component, args, config, env, files}. */}}
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
  restartPolicy: Never
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
      args: {{ toJson .args }}
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
{{- end -}}

{{/* {weight, keep}: the pod is kept until the next test, for its log. */}}
{{- define "surehook.testHook" -}}
helm.sh/hook: test
helm.sh/hook-weight: {{ .weight | quote }}
helm.sh/hook-delete-policy: {{ ternary "before-hook-creation" "before-hook-creation,hook-succeeded" (default false .keep) }}
{{- end -}}
