import type { Dashboard } from './dashboard.ts'
import { now, quantiles, rate } from './queries.ts'

const gateway = 'service="gateway"'

export const pipeline: Dashboard = {
  uid: 'surehook-pipeline',
  title: 'Pipeline',
  description: 'The way of a change: written, relayed, matched, delivered.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'First attempts within 1 s (1 h)',
          description: 'The SLO: 99 %. Only deliveries that never waited for their receiver count.',
          kind: 'stat',
          unit: 'percentunit',
          queries: [{ expr: '1 - surehook:delivery_first_attempts_late:ratio_rate1h' }],
        },
        {
          title: 'Slots lost',
          kind: 'stat',
          limit: 1,
          queries: [now('sum', 'surehook_capture_slot_lost')],
        },
        {
          title: 'Relays without a leader',
          kind: 'stat',
          limit: 1,
          queries: [
            {
              expr: 'count(max by (service) (surehook_capture_relay_leader) == 0) or vector(0)',
            },
          ],
        },
        {
          title: 'Requests answered with 5xx',
          kind: 'stat',
          unit: 'percentunit',
          limit: 0.01,
          queries: [
            {
              expr:
                `sum(rate(surehook_http_request_duration_seconds_count{${gateway},status=~"5.."}[5m])) ` +
                `/ sum(rate(surehook_http_request_duration_seconds_count{${gateway}}[5m])) or vector(0)`,
            },
          ],
        },
      ],
    },
    {
      title: 'Written',
      panels: [
        {
          title: 'Requests',
          unit: 'reqps',
          queries: [rate('surehook_http_request_duration_seconds_count', ['operation'], gateway)],
        },
        {
          title: 'Answers by status',
          unit: 'reqps',
          queries: [rate('surehook_http_request_duration_seconds_count', ['status'], gateway)],
        },
        {
          title: 'Time to the answer',
          unit: 's',
          queries: quantiles('surehook_http_request_duration_seconds', gateway),
        },
      ],
    },
    {
      title: 'Relayed',
      panels: [
        {
          title: 'Relayed to Kafka',
          unit: 'ops',
          queries: [rate('surehook_capture_relayed_total', ['service'])],
        },
        {
          title: 'WAL that slots hold back',
          unit: 'bytes',
          limit: 268_435_456,
          queries: [now('max', 'surehook_capture_slot_lag_bytes', ['service'])],
        },
        {
          title: 'Last relayed',
          unit: 's',
          description: 'Long ago may only mean that nothing was written.',
          queries: [
            {
              expr: 'time() - max by (service) (surehook_capture_last_relayed_timestamp_seconds)',
              legend: '{{service}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Captured from sources',
      panels: [
        {
          title: 'Sources by state',
          queries: [now('sum', 'surehook_sources', ['state'])],
        },
        {
          title: 'Changes of rows',
          unit: 'ops',
          queries: [rate('surehook_source_changes_total')],
        },
        {
          title: 'WAL budget used, the worst source',
          unit: 'percentunit',
          limit: 0.5,
          queries: [now('max', 'surehook_source_budget_used_ratio')],
        },
        {
          title: 'Gaps, long messages, slots given up (1 h)',
          description: 'Each names its source in the log of postgres-source.',
          queries: [
            { expr: 'sum(increase(surehook_source_gaps_total[1h]))', legend: 'gaps' },
            {
              expr: 'sum(increase(surehook_source_messages_too_long_total[1h]))',
              legend: 'messages too long',
            },
            {
              expr: 'sum(increase(surehook_source_slots_given_up_total[1h]))',
              legend: 'slots given up',
            },
          ],
        },
      ],
    },
    {
      title: 'Matched',
      panels: [
        {
          title: 'Changes',
          unit: 'ops',
          queries: [rate('surehook_matcher_changes_total', ['outcome'])],
        },
        {
          title: 'Deliveries made',
          unit: 'ops',
          queries: [rate('surehook_matcher_deliveries_total', ['outcome'])],
        },
        {
          title: 'Time to match a change',
          unit: 's',
          queries: quantiles('surehook_matcher_match_duration_seconds'),
        },
        {
          title: 'Waiting for the subscriptions',
          unit: 's',
          description: 'Until the view of the subscriptions was as new as a batch of changes.',
          queries: quantiles('surehook_matcher_barrier_duration_seconds'),
        },
      ],
    },
    {
      title: 'Delivered',
      panels: [
        {
          title: 'Attempts',
          unit: 'ops',
          queries: [rate('surehook_delivery_attempts_total', ['outcome'])],
        },
        {
          title: 'From the change to the first attempt',
          unit: 's',
          limit: 1,
          queries: quantiles('surehook_delivery_first_attempt_delay_seconds'),
        },
        {
          title: 'First attempts that start late',
          unit: 'percentunit',
          limit: 0.01,
          queries: [
            { expr: 'surehook:delivery_first_attempts_late:ratio_rate5m', legend: '5 min' },
            { expr: 'surehook:delivery_first_attempts_late:ratio_rate6h', legend: '6 h' },
            { expr: 'surehook:delivery_first_attempts_late:ratio_rate3d', legend: '3 d' },
          ],
        },
      ],
    },
    {
      title: 'Held up',
      panels: [
        {
          title: 'Messages behind',
          description: 'Paused deliveries count on the paused topic, retries on their retry topic.',
          limit: 10_000,
          queries: [now('sum', 'surehook_kafka_consumer_lag_messages', ['group', 'topic'])],
        },
        {
          title: 'Use of the window',
          unit: 'percentunit',
          queries: [now('max', 'surehook_kafka_consumer_window_use_ratio', ['group', 'topic'])],
        },
        {
          title: 'Tenants with a backlog',
          description: 'Above 0: a project has more in flight than its fair share of a window.',
          queries: [now('sum', 'surehook_kafka_consumer_tenants_waiting', ['group', 'topic'])],
        },
        {
          title: 'Invalid messages',
          description: 'Messages that cannot be read, handled or sent.',
          queries: [
            { ...rate('surehook_matcher_invalid_messages_total'), legend: 'matcher' },
            { ...rate('surehook_delivery_jobs_invalid_total'), legend: 'dispatcher' },
            { ...rate('surehook_webhook_log_messages_refused_total'), legend: 'history' },
            { ...rate('surehook_kafka_producer_refused_total'), legend: 'refused by Kafka' },
          ],
        },
      ],
    },
  ],
}
