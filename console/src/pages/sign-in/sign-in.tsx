import { useState } from 'react'
import { checkSession } from '../../api/check-session.ts'
import type { Session } from '../../app/session/session.ts'
import { useKeeper } from '../../app/session/session-context.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Tabs } from '../../parts/layout/tabs.tsx'
import { DeveloperForm } from './developer-form.tsx'
import { OperatorForm } from './operator-form.tsx'
import './sign-in.css'

export function SignIn({ reason }: { reason: string | null }) {
  const keeper = useKeeper()
  const [shown] = useState(reason)
  const onSession = async (session: Session, keepInTab: boolean) => {
    await checkSession(session)
    keeper.start(session, { keepInTab })
  }
  return (
    <main className="sign-in">
      <title>Sign in · Surehook</title>
      <div className="sign-in-card">
        <div className="sign-in-brand">
          <img src="/console/icon.svg" alt="" width="36" height="36" />
          <h1>Sign in to Surehook</h1>
        </div>
        {shown !== null && (
          <Notice tone="warn" title="You were signed out">
            <p role="status">{shown}</p>
          </Notice>
        )}
        <Tabs
          label="Who signs in"
          items={[
            {
              id: 'developer',
              label: 'Developer',
              content: <DeveloperForm onSession={onSession} />,
            },
            { id: 'operator', label: 'Operator', content: <OperatorForm onSession={onSession} /> },
          ]}
        />
      </div>
    </main>
  )
}
