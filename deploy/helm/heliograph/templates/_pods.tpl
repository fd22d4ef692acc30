{{/* What every pod has. Takes root and process. */}}
{{- define "heliograph.podSettings" -}}
{{- with .root.Values.pods.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  # So that the user can read the files of the Secret.
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.pods.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.pods.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.pods.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{/* How pods of a Deployment are placed, and how long they may take to stop. Takes root and process. */}}
{{- define "heliograph.podPlacing" -}}
terminationGracePeriodSeconds: {{ add (div (int .root.Values.shutdown.graceMs) 1000) 10 }}
{{- with .root.Values.pods.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "heliograph.selector" (dict "root" .root "component" .process) | nindent 8 }}
{{- end }}

{{/* What every container has. Takes root and process. */}}
{{- define "heliograph.containerSettings" -}}
image: {{ include "heliograph.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "heliograph.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
- name: secrets
  mountPath: /run/secrets/heliograph
  readOnly: true
{{- end }}

{{/* A process sees the keys of the Secret that it needs, and no others. Takes root and process. */}}
{{- define "heliograph.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
- name: secrets
  secret:
    secretName: {{ .root.Values.secrets.name }}
    defaultMode: 0440
    items:
      {{- range include "heliograph.secretsOf" . | fromJsonArray }}
      - key: {{ .key }}
        path: {{ .key }}
      {{- end }}
      {{- with .root.Values.secrets.keys.authorities }}
      - key: {{ . }}
        path: {{ . }}
      {{- end }}
{{- end }}

{{/* A new version that does not become ready is not rolled out. Takes scheme. */}}
{{- define "heliograph.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: {{ .port }}, scheme: {{ .scheme }} }
  periodSeconds: 2
  timeoutSeconds: 4
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: {{ .port }}, scheme: {{ .scheme }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: {{ .port }}, scheme: {{ .scheme }} }
  periodSeconds: 5
  timeoutSeconds: 4
  failureThreshold: 2
{{- end }}
