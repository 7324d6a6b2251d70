import type { Dashboard } from './dashboard.ts'
import { now, quantiles, rate } from './queries.ts'

export const infrastructure: Dashboard = {
  uid: 'surehook-infrastructure',
  title: 'Infrastructure',
  description: 'Replicas, and what they need of Kafka, PostgreSQL, Redis and the machine.',
  rows: [
    {
      title: 'Replicas',
      panels: [
        {
          title: 'Running',
          kind: 'stat',
          queries: [{ expr: 'count by (service) (surehook_build_info)', legend: '{{service}}' }],
        },
        {
          title: 'Not ready',
          kind: 'stat',
          limit: 1,
          queries: [
            { expr: 'count(min by (service, instance) (surehook_ready) == 0) or vector(0)' },
          ],
        },
        {
          title: 'Versions',
          kind: 'stat',
          queries: [
            {
              expr: 'count by (version, node_version) (surehook_build_info)',
              legend: '{{version}} on Node.js {{node_version}}',
            },
          ],
        },
        {
          title: 'Certificates end',
          kind: 'stat',
          unit: 's',
          description: 'Of the certificate files that services are configured with.',
          queries: [
            {
              expr: 'min by (certificate) (surehook_certificate_not_after_timestamp_seconds) - time()',
              legend: '{{certificate}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Readiness',
      panels: [
        {
          title: 'Checks',
          unit: 'bool_on_off',
          queries: [now('min', 'surehook_ready', ['service', 'check'])],
        },
        {
          title: 'Redis',
          unit: 'bool_on_off',
          queries: [now('min', 'surehook_redis_connected', ['service'])],
        },
        {
          title: 'Connections to PostgreSQL',
          description: 'Of data-api. waiting: requests without one.',
          queries: [now('sum', 'surehook_postgres_pool_connections', ['state'])],
        },
      ],
    },
    {
      title: 'Kafka',
      panels: [
        {
          title: 'Records sent',
          unit: 'ops',
          queries: [rate('surehook_kafka_producer_records_total', ['service'])],
        },
        {
          title: 'Time to an acknowledgement',
          unit: 's',
          queries: quantiles('surehook_kafka_producer_request_duration_seconds'),
        },
        {
          title: 'Producers replaced (1 h)',
          queries: [
            {
              expr: 'sum by (service) (increase(surehook_kafka_producer_replaced_total[1h]))',
              legend: '{{service}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'CPU',
          description: 'Cores in use.',
          queries: [rate('process_cpu_seconds_total', ['service', 'instance'])],
        },
        {
          title: 'Memory',
          unit: 'bytes',
          queries: [now('sum', 'process_resident_memory_bytes', ['service', 'instance'])],
        },
        {
          title: 'Delay of the event loop (p99)',
          unit: 's',
          queries: [now('max', 'nodejs_eventloop_lag_p99_seconds', ['service', 'instance'])],
        },
        {
          title: 'Time for garbage collection',
          unit: 'percentunit',
          queries: [rate('nodejs_gc_duration_seconds_sum', ['service', 'instance'])],
        },
      ],
    },
    {
      title: 'History',
      panels: [
        {
          title: 'Failed deletions of old history (1 h)',
          queries: [
            {
              expr: 'sum by (part) (increase(surehook_webhook_history_sweep_failures_total[1h]))',
              legend: '{{part}}',
            },
          ],
        },
        {
          title: 'Active subscriptions',
          queries: [now('max', 'surehook_matcher_subscriptions')],
        },
        {
          title: 'Window',
          description: 'Messages of one partition that are read ahead of the commit at most.',
          queries: [now('max', 'surehook_kafka_consumer_window_limit_messages', ['group'])],
        },
      ],
    },
  ],
}
