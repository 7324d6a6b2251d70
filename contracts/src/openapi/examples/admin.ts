import { defaultAuthSettings } from '../../http/admin/auth-settings.ts'
import { noLimitSettings } from '../../http/admin/limit-settings.ts'
import { defaultNotifySettings } from '../../http/admin/notify-settings.ts'
import { createdAt, ids, type OperationExamples } from './operation-example.ts'

const environment = {
  projectId: 'shop',
  environment: 'master',
  auth: { ...defaultAuthSettings, accessTokenTtl: 600, defaultRole: 'clerk' },
  limits: { ...noLimitSettings, data: { ...noLimitSettings.data, perSecond: 2_000 } },
  notify: { ...defaultNotifySettings, emails: ['ops@example.com'] },
  trustedIssuers: [
    {
      issuer: 'https://example.eu.auth0.com/',
      audience: ['https://api.example.com'],
      rolesClaim: 'https://example.com/roles',
      userIdClaim: 'sub',
    },
  ],
  createdAt,
  updatedAt: '2026-01-02T08:30:00.000Z',
  deletedAt: null,
}
const managementToken = {
  id: ids.token,
  projectId: 'shop',
  name: 'deploy',
  environments: ['master'],
  rights: ['records', 'tables'],
  createdAt,
  expiresAt: '2027-01-01T00:00:00.000Z',
}
const oneTimeCode = 'b25lLXRpbWUtY29kZS1mb3ItdGhlLXJlZmVyZW5jZQ'
const page = { checked: 100, resealed: 98, unreadable: 0 }

export const adminExamples: OperationExamples = {
  listProjects: {
    reply: {
      projects: [{ id: 'shop', environments: ['master', 'test'], createdAt }],
      nextCursor: null,
    },
  },
  listEnvironments: { reply: { environments: ['master', 'test'] } },
  deleteProject: { reply: { id: 'shop', environments: ['master', 'test'] } },
  getEnvironment: { reply: environment },
  testNotify: { reply: { recipients: 1 } },
  putEnvironment: {
    body: {
      auth: { accessTokenTtl: 600, defaultRole: 'clerk' },
      limits: { data: { perSecond: 2_000 } },
      notify: { emails: ['ops@example.com'] },
      trustedIssuers: [
        {
          issuer: 'https://example.eu.auth0.com/',
          audience: 'https://api.example.com',
          rolesClaim: 'https://example.com/roles',
        },
      ],
    },
    reply: environment,
  },
  deleteEnvironment: { reply: { ...environment, deletedAt: '2026-01-03T09:00:00.000Z' } },
  rotateKeys: {
    reply: {
      keys: [
        { kid: 'b3f1c2a4', use: 'sig', createdAt, activeFrom: createdAt },
        {
          kid: '7d9e0f12',
          use: 'sig',
          createdAt: '2026-01-02T08:30:00.000Z',
          activeFrom: '2026-01-02T08:40:00.000Z',
        },
      ],
    },
  },
  createManagementToken: {
    body: {
      name: 'deploy',
      environments: ['master'],
      rights: ['records', 'tables'],
      expiresAt: '2027-01-01T00:00:00Z',
    },
    reply: { ...managementToken, token: 'mt_Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ' },
  },
  listManagementTokens: { reply: { tokens: [managementToken], nextCursor: null } },
  deleteManagementToken: { parameters: { id: ids.token } },
  createConsoleCode: {
    body: { project: 'shop', environment: 'master' },
    reply: { code: oneTimeCode, expiresAt: '2026-01-01T00:00:30.000Z' },
  },
  redeemConsoleCode: {
    body: { code: oneTimeCode },
    reply: {
      kind: 'developer',
      project: 'shop',
      environment: 'master',
      token: 'mt_Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ',
    },
  },
  resealKeys: { reply: { ...page, next: null, previousKeysUntil: null, sessions: 0 } },
  resealSecrets: { reply: { ...page, next: null } },
}
