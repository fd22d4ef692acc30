{{/* What the schema of the values cannot say. */}}
{{- define "heliograph.check" -}}
{{- if ge (int .Values.shutdown.noticeMs) (int .Values.shutdown.graceMs) }}
{{- fail "shutdown.noticeMs must be less than shutdown.graceMs" }}
{{- end }}
{{- with .Values.worker.autoscaling }}
{{- if and .enabled (lt (int .maxReplicas) (int .minReplicas)) }}
{{- fail "worker.autoscaling.maxReplicas must not be less than minReplicas" }}
{{- end }}
{{- end }}
{{- range $who, $ingress := dict "gateway" .Values.gateway.ingress "operators" .Values.operators.ingress }}
{{- if and $ingress.enabled (not $ingress.hosts) }}
{{- fail (printf "%s.ingress needs hosts" $who) }}
{{- end }}
{{- if and $ingress.enabled (not (get $.Values.settings "TRUSTED_PROXIES")) }}
{{- fail (printf "%s.ingress needs settings.TRUSTED_PROXIES: the networks of the ingress controller's pods. Without it all clients count as one address" $who) }}
{{- end }}
{{- end }}
{{- end }}
