import { adminCommand, limitOption, showList } from '../../admin/admin-command.ts'
import { showDone } from '../../output/shown.ts'
import { textTable } from '../../output/text-table.ts'

const one = ['project', 'environment', 'id']

/** The sessions and locks of a user. */
export const userAccessCommands = [
  adminCommand({
    name: 'admin users sessions',
    summary: 'List the open sessions of a user, newest first',
    positionals: one,
    options: limitOption,
    act({ words: { id }, values, admin, request }) {
      const iterate = (page: { limit: number }) => admin.users.iterateSessions(id, page, request)
      return showList('sessions', { values, iterate }, (session) => ({ ...session }))
    },
  }),
  adminCommand({
    name: 'admin users end-session',
    summary: 'End one session of a user',
    positionals: [...one, 'session'],
    options: {},
    async act({ words: { id, session: sessionId }, admin, request }) {
      await admin.users.endSession(id, sessionId, request)
      return showDone(`session ${sessionId} ended`)
    },
  }),
  adminCommand({
    name: 'admin users lock',
    summary: 'Show until when failed logins lock a user',
    positionals: one,
    options: {},
    async act({ words: { id }, admin, request }) {
      const lock = await admin.users.lock(id, request)
      const rows = lock.locks.map(({ client, lockedUntil }) => [client ?? 'all', lockedUntil])
      const lines = textTable([['client', 'lockedUntil'], ...rows])
      return { value: lock, lines: rows.length === 0 ? [`user ${id} is not locked`] : lines }
    },
  }),
]
