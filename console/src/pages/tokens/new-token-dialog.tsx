import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useEnvironments } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Dialog } from '../../parts/feedback/dialog.tsx'
import { Command } from '../../parts/feedback/empty-state.tsx'
import { faultOf } from '../../parts/feedback/faults.ts'
import { FaultNotice, Notice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { useKeeper } from '../../session/session-context.tsx'
import { environmentToOpen } from './open-as-developer.ts'
import { emptyToken, faultsIn, tokenInputOf } from './token-draft.ts'
import { TokenFields } from './token-fields.tsx'

type NewTokenProps = { project: string; onClose: () => void }

/** Only this dialog shows the token, and only until it closes. */
export function NewTokenDialog({ project, onClose }: NewTokenProps) {
  const { inTenant } = useApi()
  const environments = useEnvironments(project) ?? []
  const [draft, setDraft] = useState(emptyToken)
  const [isTried, setTried] = useState(false)
  const typed = faultsIn(draft)
  const creating = useAction({
    run: () => inTenant(project, '-').admin.tokens.create(tokenInputOf(draft, new Date())),
    done: () => 'Token created',
    changes: ['tokens'],
    isSecret: true,
  })
  if (creating.data !== undefined) {
    const environment = environmentToOpen(creating.data, environments)
    return <Created created={creating.data} environment={environment} onClose={onClose} />
  }
  const create = () => {
    setTried(true)
    if (typed.length === 0) creating.mutate()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="New management token"
      actions={
        <Button look="primary" isPending={creating.isPending} onClick={create}>
          Create the token
        </Button>
      }
    >
      <TokenFields
        draft={draft}
        environments={environments}
        onChange={setDraft}
        violations={[...(isTried ? typed : []), ...faultOf(creating.error).violations]}
      />
      {creating.error !== null && <FaultNotice error={creating.error} />}
    </Dialog>
  )
}

type CreatedProps = {
  created: { projectId: string; token: string }
  environment: string | undefined
  onClose: () => void
}

function Created({ created, environment, onClose }: CreatedProps) {
  const { projectId: project, token } = created
  const keeper = useKeeper()
  const open = environment !== undefined && (
    <Button
      look="primary"
      onClick={() => keeper.become({ kind: 'developer', project, environment, token })}
    >
      Sign in as a developer
    </Button>
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="The token was created"
      dismiss="Close"
      {...(open !== false && { actions: open })}
    >
      <Notice tone="warn" title="Copy it now">
        <p>Surehook does not show it again.</p>
      </Notice>
      <Command text={token} label="Management token" />
      {environment !== undefined && (
        <p>
          The button signs you in to <code>{`${project}/${environment}`}</code> with this token, in
          this tab. To return, sign in as the operator again.
        </p>
      )}
    </Dialog>
  )
}
