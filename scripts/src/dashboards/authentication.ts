import type { Dashboard } from './dashboard.ts'
import { now, quantiles, rate } from './queries.ts'

const auth = 'service="auth-service"'

export const authentication: Dashboard = {
  uid: 'surehook-auth',
  title: 'Authentication',
  description: 'Accounts, sessions, tokens, password hashes and mails.',
  rows: [
    {
      title: 'Requests',
      panels: [
        {
          title: 'Operations',
          unit: 'reqps',
          queries: [rate('surehook_http_request_duration_seconds_count', ['operation'], auth)],
        },
        {
          title: 'Answers by status',
          unit: 'reqps',
          queries: [rate('surehook_http_request_duration_seconds_count', ['status'], auth)],
        },
        {
          title: 'Time to the answer',
          unit: 's',
          queries: quantiles('surehook_http_request_duration_seconds', auth),
        },
      ],
    },
    {
      title: 'Accounts',
      panels: [
        {
          title: 'Operations on accounts',
          unit: 'ops',
          queries: [rate('surehook_auth_operations_total', ['operation', 'outcome'])],
        },
        {
          title: 'Failed logins',
          unit: 'ops',
          queries: [
            rate(
              'surehook_auth_operations_total',
              ['outcome'],
              'operation="login",outcome!="success"',
            ),
          ],
        },
        {
          title: 'Lockouts',
          unit: 'ops',
          queries: [{ ...rate('surehook_auth_lockouts_total'), legend: 'locks set' }],
        },
      ],
    },
    {
      title: 'Password hashes',
      panels: [
        {
          title: 'Waiting',
          queries: [now('sum', 'surehook_auth_hash_queue_depth', ['instance'])],
        },
        {
          title: 'Wait for a turn',
          unit: 's',
          limit: 1,
          queries: quantiles('surehook_auth_hash_wait_seconds'),
        },
        {
          title: 'Time of a hash',
          unit: 's',
          queries: quantiles('surehook_auth_hash_duration_seconds'),
        },
        {
          title: 'Refused',
          unit: 'ops',
          queries: [{ ...rate('surehook_auth_hash_refused_total'), legend: 'refused' }],
        },
      ],
    },
    {
      title: 'Sessions',
      panels: [
        {
          title: 'Refresh tokens',
          description: 'reused: one that had been exchanged came again, and its session was ended.',
          unit: 'ops',
          queries: [rate('surehook_auth_refreshes_total', ['outcome'])],
        },
        {
          title: 'Revocations',
          unit: 'ops',
          queries: [rate('surehook_auth_revocations_total', ['reason'])],
        },
        {
          title: 'Encrypted tokens that were not known',
          description: 'bad, limited: somebody forges tokens. no_room: from too many addresses.',
          unit: 'ops',
          queries: [
            rate('surehook_auth_token_decryptions_total', ['outcome']),
            { ...rate('surehook_data_tokens_limited_total'), legend: 'limited by data-api' },
          ],
        },
        {
          title: 'Full copies of the blacklist (1 h)',
          description: 'After Redis was away or had lost its data.',
          queries: [{ expr: 'sum(increase(surehook_auth_blacklist_rebuilds_total[1h]))' }],
        },
        {
          title: 'Mails',
          unit: 'ops',
          queries: [rate('surehook_auth_mails_total', ['outcome'])],
        },
      ],
    },
  ],
}
