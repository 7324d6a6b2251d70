import { createdAt, ids, type OperationExamples } from './operation-example.ts'

const tenant = { projectId: 'shop', environment: 'master' }
const url = 'https://receiver.example/hooks'
const job = { ...tenant, webhookId: ids.subscription, webhookName: 'Billing of ACME', url }

export const installationExamples: OperationExamples = {
  getInstallationHealth: {
    reply: {
      at: createdAt,
      findings: [
        { area: 'postgresql', level: 'ok', says: 'version 17.2' },
        {
          area: 'slots',
          level: 'wrong',
          says: 'surehook_data_api is read by nobody, 3.2 MiB behind',
          advice:
            'Start data-api, or see in its log why its relay does not read: WAL piles up until it does.',
        },
      ],
      groups: [{ group: 'webhook-matcher', state: 'Stable', members: 2, lag: 14, lost: [] }],
      slots: [
        {
          slot: 'surehook_data_api',
          active: false,
          status: 'reserved',
          lagBytes: 3_355_443,
          retainedBytes: 16_777_216,
        },
      ],
      slotLimitBytes: null,
      circuits: {
        open: [
          {
            ...tenant,
            endpointId: ids.endpoint,
            url,
            openUntil: '2026-01-01T12:02:00.000Z',
            webhooks: [ids.subscription],
            webhookNames: { [ids.subscription]: 'Orders to accounting' },
          },
        ],
        leftOut: 0,
        isComplete: true,
      },
      deliveries: {
        hour: { attempts: 242, delivered: 238, deadLetter: 1 },
        day: { attempts: 5_800, delivered: 5_790, deadLetter: 2 },
      },
    },
  },
  listRunningJobs: {
    reply: {
      at: createdAt,
      rebuild: null,
      replays: [
        {
          ...job,
          id: ids.replay,
          from: '2026-01-01T08:00:00.000Z',
          until: '2026-01-01T11:00:00.000Z',
          scanned: 1_200,
          deliveries: 310,
          left: 48_200,
          createdAt,
        },
      ],
      replaysLeftOut: 0,
      recoveries: [
        {
          ...job,
          id: ids.recovery,
          since: '2026-01-01T00:00:00.000Z',
          until: '2026-01-02T00:00:00.000Z',
          left: 40,
          requestedAt: createdAt,
        },
      ],
      recoveriesLeftOut: 0,
    },
  },
}
