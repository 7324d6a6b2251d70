import type { UserAccount } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { useApi } from '../../api/api.ts'
import { Time } from '../../parts/data/time/time.tsx'
import { RightView } from '../../parts/feedback/right-view.tsx'
import { Card, Facts, Page as Frame } from '../../parts/layout/page.tsx'
import { UserBadge } from '../users/user-badge.tsx'
import { nameOf } from '../users/user-text.ts'
import { AttributesCard } from './attributes-card.tsx'
import { LockNotice } from './lock-notice.tsx'
import { RolesCard } from './roles-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { UserActions } from './user-actions.tsx'

const parent = { to: '/users', label: 'Users' }

export function Page() {
  const { id = '' } = useParams()
  const { surehook, keyOf } = useApi()
  const query = useQuery({
    queryKey: keyOf('users', id),
    queryFn: ({ signal }) => surehook.admin.users.get(id, { signal }),
  })
  if (query.data === undefined) {
    return (
      <Frame title="User" parent={parent}>
        <RightView query={query} right="users">
          {() => null}
        </RightView>
      </Frame>
    )
  }
  return <UserView user={query.data} />
}

function UserView({ user }: { user: UserAccount }) {
  return (
    <Frame
      title={user.email}
      parent={parent}
      beside={<UserBadge user={user} />}
      actions={<UserActions user={user} />}
    >
      <LockNotice user={user} />
      <Card>
        <Facts
          items={[
            ['Name', nameOf(user)],
            ['Id', <code key="id">{user.id}</code>],
            ['Address confirmed', user.emailVerified ? 'yes' : 'no'],
            ['Created', <Time key="created" at={user.createdAt} />],
            ['Changed', <Time key="changed" at={user.updatedAt} />],
          ]}
        />
      </Card>
      <SessionsCard user={user} />
      <RolesCard key={user.roles.join()} user={user} />
      <AttributesCard key={JSON.stringify(user.attributes)} user={user} />
    </Frame>
  )
}
