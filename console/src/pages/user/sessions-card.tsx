import type { OpenSession, UserAccount } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { ExactTime, Time } from '../../parts/data/time/time.tsx'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { RowMenu } from '../../parts/layout/menu.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { LogoutDialog } from './logout-dialog.tsx'

const shown = 200
const everyMs = 10_000

/** Where the user is signed in. */
export function SessionsCard({ user }: { user: UserAccount }) {
  const { surehook, keyOf } = useApi()
  const [asked, setAsked] = useState<OpenSession | 'all' | null>(null)
  const query = useQuery({
    queryKey: keyOf('users', user.id, 'sessions'),
    queryFn: ({ signal }) => surehook.admin.users.sessions(user.id, { limit: shown }, { signal }),
    refetchInterval: everyMs,
  })
  const columns = useMemo(() => columnsOf(setAsked), [])
  const hasSome = query.data !== undefined && query.data.sessions.length > 0
  return (
    <Card
      title="Sessions"
      isFlush={hasSome}
      actions={hasSome && <Button onClick={() => setAsked('all')}>Log out everywhere</Button>}
    >
      <QueryView query={query}>
        {({ sessions, nextCursor }) => (
          <>
            {sessions.length === 0 ? (
              <p className="quiet">The user is not signed in anywhere.</p>
            ) : (
              <DataTable label="Sessions" columns={columns} rows={sessions} idOf={idOf} />
            )}
            {nextCursor !== null && <p className="table-note">The newest {shown} are shown.</p>}
          </>
        )}
      </QueryView>
      {asked === 'all' && <LogoutDialog user={user} onClose={() => setAsked(null)} />}
      {asked !== null && asked !== 'all' && (
        <EndDialog user={user} session={asked} onClose={() => setAsked(null)} />
      )}
    </Card>
  )
}

const idOf = ({ id }: OpenSession) => id

const columnsOf = (ask: (session: OpenSession) => void): readonly Column<OpenSession>[] => [
  {
    id: 'created',
    header: 'Signed in',
    cell: ({ createdAt }) => <ExactTime at={createdAt} />,
    isTitle: true,
  },
  { id: 'used', header: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  {
    id: 'expires',
    header: 'Expires',
    cell: ({ expiresAt }) => <Time at={expiresAt} />,
  },
  {
    id: 'id',
    header: 'Session',
    cell: ({ id }) => <code className="small">{id}</code>,
  },
  {
    id: 'end',
    header: 'Actions',
    align: 'end',
    cell: (session) => (
      <RowMenu
        label={`Actions of session ${session.id}`}
        items={[{ label: 'End', onSelect: () => ask(session), isDangerous: true }]}
      />
    ),
  },
]

type EndDialogProps = { user: UserAccount; session: OpenSession; onClose: () => void }

function EndDialog({ user, session, onClose }: EndDialogProps) {
  const { surehook } = useApi()
  const ending = useAction({
    run: () => surehook.admin.users.endSession(user.id, session.id),
    done: () => 'The session ended',
    changes: ['users'],
    after: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="End this session?"
      action="End the session"
      running={ending}
      onConfirm={() => ending.mutate()}
    >
      <p className="breakable">
        This signs {user.email} out of the session of <ExactTime at={session.createdAt} />.
      </p>
      <p>Every service refuses its tokens at once. The user may sign in again.</p>
    </ConfirmDialog>
  )
}
