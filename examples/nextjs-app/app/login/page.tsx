'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { CodeForm } from './code-form'
import { CredentialsForm } from './credentials-form'

export default function LoginPage() {
  const router = useRouter()
  /** The address that waits for its mailed code. */
  const [unconfirmed, setUnconfirmed] = useState<string | null>(null)
  const enter = () => router.replace('/orders')
  if (unconfirmed !== null) return <CodeForm email={unconfirmed} onSignedIn={enter} />
  return <CredentialsForm onSignedIn={enter} onUnconfirmed={setUnconfirmed} />
}
