import { createdAt, ids, type OperationExamples } from './operation-example.ts'

const role = { id: ids.role, name: 'clerk', selfAssignable: false }
const user = {
  id: ids.user,
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  roles: ['clerk'],
  emailVerified: true,
  disabled: false,
  attributes: { team: 'north', regions: ['eu', 'us'] },
  createdAt,
  updatedAt: '2026-01-02T08:30:00.000Z',
}
const parameters = { id: ids.user }

export const userExamples: OperationExamples = {
  createRole: { body: { name: 'clerk', selfAssignable: false }, reply: role },
  listRoles: { reply: { roles: [role], nextCursor: null } },
  listUsers: {
    parameters: { email: 'ada@example.com' },
    reply: { users: [user], nextCursor: null },
  },
  getUser: { parameters, reply: user },
  updateUser: {
    parameters,
    body: { roles: ['clerk'], attributes: { team: 'north', regions: ['eu', 'us'] } },
    reply: user,
  },
  deleteUser: { parameters },
  logoutUser: { parameters },
  unlockUser: { parameters },
  listUserSessions: {
    parameters,
    reply: {
      sessions: [
        {
          id: ids.session,
          createdAt,
          lastUsedAt: '2026-01-02T08:30:00.000Z',
          expiresAt: '2026-02-01T08:30:00.000Z',
        },
      ],
      nextCursor: null,
    },
  },
  endUserSession: { parameters: { ...parameters, sessionId: ids.session } },
  getUserLock: {
    parameters,
    reply: {
      lockedUntil: '2026-01-01T12:15:00.000Z',
      locks: [{ client: '203.0.113.7', lockedUntil: '2026-01-01T12:15:00.000Z' }],
    },
  },
  importUsers: {
    body: {
      users: [
        {
          email: 'grace@example.com',
          passwordHash: '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW',
          firstName: 'Grace',
          roles: ['clerk'],
          attributes: { team: 'south' },
        },
        {
          email: 'ada@example.com',
          passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA',
        },
      ],
    },
    reply: {
      imported: 1,
      failed: [
        {
          index: 1,
          violations: [{ field: 'email', message: 'is registered already' }],
        },
      ],
    },
  },
}
