import type { UserAccount } from '@surehook/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { type Column, DataTable } from '../../parts/data/tables/data-table.tsx'
import { Pager } from '../../parts/data/tables/pager.tsx'
import { Time } from '../../parts/data/time/time.tsx'
import { EmptyState, NothingFound } from '../../parts/feedback/empty-state.tsx'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { RightView } from '../../parts/feedback/right-view.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { signUpCommand } from './sign-up-command.ts'
import { UserBadge } from './user-badge.tsx'
import { userQueryOf } from './user-query.ts'
import { UserSearch } from './user-search.tsx'
import { nameOf, rolesText } from './user-text.ts'

const columns: readonly Column<UserAccount>[] = [
  {
    id: 'email',
    header: 'User',
    isTitle: true,
    cell: (user) => (
      <Link to={`/users/${user.id}`} className="cell-main">
        <span className="cell-url">{user.email}</span>
        <span className="quiet small">{nameOf(user)}</span>
      </Link>
    ),
  },
  { id: 'state', header: 'State', cell: (user) => <UserBadge user={user} /> },
  { id: 'roles', header: 'Roles', cell: ({ roles }) => rolesText(roles) },
  {
    id: 'created',
    header: 'Created',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

const idOf = ({ id }: UserAccount) => id

export function Page() {
  const { surehook, keyOf } = useApi()
  const [params] = useSearchParams()
  const asked = userQueryOf(params)
  const query = useQuery({
    queryKey: keyOf('users', 'list', asked),
    queryFn: ({ signal }) => surehook.admin.users.list(asked, { signal }),
    placeholderData: keepPreviousData,
  })
  const { email } = asked
  return (
    <Frame title="Users" description="The accounts that sign in to this environment.">
      <UserSearch
        key={email}
        start={email ?? ''}
        violation={violationOf(faultOf(query.error).violations, 'email')}
      />
      <RightView query={query} right="users">
        {({ users, nextCursor }) => (
          <Card isFlush>
            {users.length === 0 ? (
              <NoUsers email={email} />
            ) : (
              <DataTable label="Users" columns={columns} rows={users} idOf={idOf} />
            )}
            <Pager next={nextCursor} />
          </Card>
        )}
      </RightView>
    </Frame>
  )
}

function NoUsers({ email }: { email: string | undefined }) {
  const { session } = useApi()
  if (email !== undefined) {
    return <NothingFound title="No user has this address" all="Show all users" />
  }
  return (
    <EmptyState
      icon="users"
      title="No users yet"
      command={signUpCommand(session, window.location.origin)}
    >
      <p>Users sign up through your application. This command does the same.</p>
    </EmptyState>
  )
}
