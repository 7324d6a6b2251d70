import { useState } from 'react'
import { checkSession } from '../../api/session/check-session.ts'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Tabs } from '../../parts/layout/tabs.tsx'
import type { Session } from '../../session/session.ts'
import { useKeeper } from '../../session/session-context.tsx'
import { CodeFault } from './code-fault.tsx'
import { DeveloperForm } from './developer-form.tsx'
import { OperatorForm } from './operator-form.tsx'
import './sign-in.css'

type SignInPageProps = { reason: string | null; codeError: unknown }

export function SignIn({ reason, codeError }: SignInPageProps) {
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
        {codeError !== null && <CodeFault error={codeError} />}
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
