{{/* The settings of each process: PROCESS_SETTINGS of libs/config, without secrets and what the chart sets itself. Each
     stands in values.schema.json too. */}}
{{- define "heliograph.settingsOf.gateway" -}}
ACCEPT_PENDING_MAX ACCEPT_WAIT_MAX_MS ACCESS_LOG ACCESS_LOG_SAMPLE ACCOUNT_IN_FLIGHT_MAX BATCH_ENTRY_BYTES BATCH_MESSAGES_MAX DATABASE_POOL_SIZE FREE_REQUESTS_PER_SECOND GATEWAY_NICENESS HOLD_AFTER_FAILOVER IDEMPOTENCY_KEY_HOURS IN_DOUBT_WAIT_SECONDS LOG_LEVEL MESSAGE_VALIDITY_SECONDS OTEL_EXPORTER_OTLP_CERTIFICATE OTEL_EXPORTER_OTLP_COMPRESSION OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TIMEOUT OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE OTEL_EXPORTER_OTLP_TRACES_COMPRESSION OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_HEADERS OTEL_EXPORTER_OTLP_TRACES_PROTOCOL OTEL_EXPORTER_OTLP_TRACES_TIMEOUT SENDER SWEEP_AFTER_SECONDS TEXTS_AT_REST TRACE_SAMPLE_RATIO TRUSTED_PROXIES WEBHOOK_ALLOW_NETWORKS
{{- end }}

{{- define "heliograph.settingsOf.worker" -}}
ACCOUNT_IN_FLIGHT_MAX CLAIM_LEASE_SECONDS DATABASE_POOL_SIZE HOLD_AFTER_FAILOVER HOLD_AT_START IDEMPOTENCY_KEY_HOURS IN_DOUBT_WAIT_SECONDS LEDGER_VERIFY_SECONDS LOG_LEVEL MESSAGE_VALIDITY_SECONDS OTEL_EXPORTER_OTLP_CERTIFICATE OTEL_EXPORTER_OTLP_COMPRESSION OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TIMEOUT OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE OTEL_EXPORTER_OTLP_TRACES_COMPRESSION OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_HEADERS OTEL_EXPORTER_OTLP_TRACES_PROTOCOL OTEL_EXPORTER_OTLP_TRACES_TIMEOUT RECEIPT_DEADLINE_SECONDS SENDER SUBMIT_TIMEOUT_MS SWEEP_AFTER_SECONDS TEXTS_AT_REST TRACE_SAMPLE_RATIO WORKER_CONCURRENCY WORKER_NICENESS
{{- end }}

{{- define "heliograph.settingsOf.webhooks" -}}
DATABASE_POOL_SIZE LOG_LEVEL WEBHOOKS_NICENESS WEBHOOK_ALLOW_NETWORKS
{{- end }}

{{/* YAML reads 1000000 as a number and `on` as true; a setting is a text. */}}
{{- define "heliograph.text" -}}
{{- if kindIs "bool" . }}{{ ternary "on" "off" . -}}
{{- else if not (kindIs "float64" .) }}{{ . -}}
{{- else if eq (floor .) . }}{{ printf "%.0f" . -}}
{{- else }}{{ printf "%v" . }}{{ end }}
{{- end }}

{{/* The variables of a process. Takes root and process. */}}
{{- define "heliograph.environment" -}}
{{- $root := .root }}
{{- range splitList " " (include (printf "heliograph.settingsOf.%s" .process) $root) }}
{{- if hasKey $root.Values.settings . }}
- name: {{ . }}
  value: {{ include "heliograph.text" (get $root.Values.settings .) | quote }}
{{- end }}
{{- end }}
- name: SHUTDOWN_NOTICE_MS
  value: {{ include "heliograph.text" $root.Values.shutdown.noticeMs | quote }}
- name: SHUTDOWN_GRACE_MS
  value: {{ include "heliograph.text" $root.Values.shutdown.graceMs | quote }}
{{- include "heliograph.files" . }}
{{- end }}

{{/* Where a process finds its files. Takes root and process. */}}
{{- define "heliograph.files" -}}
{{- range include "heliograph.secretsOf" . | fromJsonArray }}
- name: {{ .setting }}_FILE
  value: /run/secrets/heliograph/{{ .key }}
{{- end }}
{{- with .root.Values.secrets.keys.authorities }}
- name: NODE_EXTRA_CA_CERTS
  value: /run/secrets/heliograph/{{ . }}
{{- end }}
{{- end }}

{{/* The secrets of a process, as JSON: the setting, and the key of the Secret. */}}
{{- define "heliograph.secretsOf" -}}
{{- $keys := .root.Values.secrets.keys }}
{{- $needed := list (dict "setting" "DATABASE_URL" "key" $keys.databaseUrl) }}
{{- if $keys.databaseDirectUrl }}
{{- $needed = append $needed (dict "setting" "DATABASE_DIRECT_URL" "key" $keys.databaseDirectUrl) }}
{{- end }}
{{- if and $keys.databaseReplicaUrl (eq .process "gateway") }}
{{- $needed = append $needed (dict "setting" "DATABASE_REPLICA_URL" "key" $keys.databaseReplicaUrl) }}
{{- end }}
{{- if and (eq .root.Values.queue "redis") (has .process (list "gateway" "worker")) }}
{{- $needed = append $needed (dict "setting" "REDIS_URL" "key" $keys.redisUrl) }}
{{- end }}
{{- $needed = append $needed (dict "setting" "SECRETS_KEY" "key" $keys.secretsKey) }}
{{- if eq .process "gateway" }}
{{- $needed = append $needed (dict "setting" "OPERATOR_PASSWORD" "key" $keys.operatorPassword) }}
{{- end }}
{{- if and $keys.otlpHeaders (has .process (list "gateway" "worker")) }}
{{- $needed = append $needed (dict "setting" "OTEL_EXPORTER_OTLP_HEADERS" "key" $keys.otlpHeaders) }}
{{- end }}
{{- if ne .process "migrate" }}
{{- $needed = append $needed (dict "setting" "METRICS_PASSWORD" "key" $keys.metricsPassword) }}
{{- end }}
{{- $needed | toJson }}
{{- end }}
