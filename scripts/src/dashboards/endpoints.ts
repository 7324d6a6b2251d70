import type { Dashboard } from './dashboard.ts'
import { now, quantiles, rate } from './queries.ts'

const ofAttempts = (where: string) =>
  `sum(rate(surehook_delivery_attempts_total${where}[$__rate_interval]))`

export const endpoints: Dashboard = {
  uid: 'surehook-endpoints',
  title: 'Endpoints',
  description: 'What receivers answer, and what waits for them.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Circuits open',
          kind: 'stat',
          limit: 20,
          queries: [now('sum', 'surehook_delivery_circuits_open')],
        },
        {
          title: 'Paused deliveries',
          kind: 'stat',
          queries: [now('sum', 'surehook_delivery_paused')],
        },
        {
          title: 'Attempts that succeed',
          kind: 'stat',
          unit: 'percentunit',
          queries: [{ expr: `${ofAttempts('{outcome="delivered"}')} / ${ofAttempts('')}` }],
        },
        {
          title: 'Dead letters (1 h)',
          kind: 'stat',
          queries: [{ expr: 'sum(increase(surehook_delivery_dead_letters_total[1h]))' }],
        },
      ],
    },
    {
      title: 'Attempts',
      panels: [
        {
          title: 'By outcome',
          unit: 'ops',
          queries: [rate('surehook_delivery_attempts_total', ['outcome'])],
        },
        {
          title: 'Failures',
          description: 'http: an answer that is no 2xx. The others never got one.',
          unit: 'ops',
          queries: [rate('surehook_delivery_attempts_total', ['outcome'], 'outcome!="delivered"')],
        },
        {
          title: 'Time of an attempt',
          unit: 's',
          queries: quantiles('surehook_delivery_attempt_duration_seconds'),
        },
        {
          title: 'In flight',
          queries: [now('sum', 'surehook_delivery_in_flight', ['instance'])],
        },
      ],
    },
    {
      title: 'What waits',
      panels: [
        {
          title: 'Paused deliveries',
          description:
            'The circuit is open, the subscription is inactive, or the endpoint is full.',
          queries: [now('sum', 'surehook_delivery_paused', ['instance'])],
        },
        {
          title: 'Circuits open',
          queries: [now('sum', 'surehook_delivery_circuits_open', ['instance'])],
        },
        {
          title: 'Retries that wait or are due',
          queries: [
            now(
              'sum',
              'surehook_kafka_consumer_lag_messages',
              ['topic'],
              'topic=~"webhook\\\\.deliveries\\\\.retry\\\\..+"',
            ),
          ],
        },
        {
          title: 'Read and not finished',
          queries: [now('sum', 'surehook_delivery_window_open', ['instance'])],
        },
      ],
    },
    {
      title: 'How it ends',
      panels: [
        {
          title: 'Dead letters',
          unit: 'ops',
          queries: [{ ...rate('surehook_delivery_dead_letters_total'), legend: 'dead letters' }],
        },
        {
          title: 'Too large to be sent',
          unit: 'ops',
          queries: [rate('surehook_matcher_deliveries_total', ['outcome'], 'outcome="too_large"')],
        },
        {
          title: 'Subscriptions deactivated',
          description: 'Because nothing could be delivered to them for too long.',
          queries: [{ expr: 'sum(increase(surehook_webhook_subscriptions_disabled_total[1h]))' }],
        },
        {
          title: 'Repeated jobs dropped',
          description: 'The same transition number came again, after a crash or a rebalance.',
          unit: 'ops',
          queries: [{ ...rate('surehook_delivery_jobs_repeated_total'), legend: 'repeated' }],
        },
      ],
    },
    {
      title: 'Ledgers',
      panels: [
        {
          title: 'Holes of the newest ledgers (the most of any replica)',
          kind: 'stat',
          limit: 1,
          queries: [now('max', 'surehook_webhook_ledger_holes')],
        },
        {
          title: 'Ledgers taken (24 h)',
          kind: 'stat',
          queries: [
            {
              expr: 'sum by (outcome) (increase(surehook_webhook_ledgers_total[24h]))',
              legend: '{{outcome}}',
            },
          ],
        },
      ],
    },
  ],
}
