import type { ManagementToken } from '@surehook/client'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { ConfirmDialog } from '../../parts/feedback/dialog.tsx'
import { RowMenu } from '../../parts/layout/menu.tsx'

type RevokeProps = { project: string; token: ManagementToken }

export function TokenMenu({ project, token }: RevokeProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <RowMenu
        label={`Actions of ${token.name}`}
        items={[{ label: 'Revoke', onSelect: () => setAsking(true), isDangerous: true }]}
      />
      {isAsking && (
        <RevokeDialog project={project} token={token} onClose={() => setAsking(false)} />
      )}
    </>
  )
}

function RevokeDialog({ project, token, onClose }: RevokeProps & { onClose: () => void }) {
  const { inTenant } = useApi()
  const revoking = useAction({
    run: () => inTenant(project, '-').admin.tokens.delete(token.id),
    done: () => `Token ${token.name} revoked`,
    changes: ['tokens'],
    after: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Revoke this token?"
      action="Revoke the token"
      isDangerous
      running={revoking}
      onConfirm={() => revoking.mutate()}
    >
      <p className="breakable">
        Surehook refuses {token.name} within a second. Its users get 401, and sessions of the
        console end. This cannot be undone.
      </p>
    </ConfirmDialog>
  )
}
