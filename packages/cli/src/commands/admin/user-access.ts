import {
  endUserSession,
  getUserLock,
  listUserSessions,
} from '@surehook/contracts/http/admin/user-access'
import { adminCommand, showDone, showList } from '../../admin/admin-command.ts'
import { limitOption, readPages } from '../../admin/read-pages.ts'
import { textTable } from '../../output/text-table.ts'

const one = ['project', 'environment', 'id']

/** The sessions and locks of a user. */
export const userAccessCommands = [
  adminCommand({
    name: 'admin users sessions',
    summary: 'List the open sessions of a user, newest first',
    positionals: one,
    options: limitOption,
    async act({ words: { project, environment, id }, values }, ask) {
      const found = await readPages(values.limit, async (query) => {
        const params = { project, environment, id }
        const { sessions, nextCursor } = await ask(listUserSessions, { params, query })
        return { items: sessions, nextCursor }
      })
      return showList({ name: 'sessions', ...found }, (session) => ({ ...session }))
    },
  }),
  adminCommand({
    name: 'admin users end-session',
    summary: 'End one session of a user',
    positionals: [...one, 'session'],
    options: {},
    async act({ words: { project, environment, id, session: sessionId } }, ask) {
      await ask(endUserSession, { params: { project, environment, id, sessionId } })
      return showDone(`session ${sessionId} ended`)
    },
  }),
  adminCommand({
    name: 'admin users lock',
    summary: 'Show until when failed logins lock a user',
    positionals: one,
    options: {},
    async act({ words: { project, environment, id } }, ask) {
      const lock = await ask(getUserLock, { params: { project, environment, id } })
      const rows = lock.locks.map(({ client, lockedUntil }) => [client ?? 'all', lockedUntil])
      const lines = textTable([['client', 'lockedUntil'], ...rows])
      return { value: lock, lines: rows.length === 0 ? [`user ${id} is not locked`] : lines }
    },
  }),
]
