import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { TextField } from '../../parts/forms/field.tsx'
import { FormActions } from '../../parts/forms/form-actions.tsx'
import { choiceOf, withChoice } from '../../parts/forms/span/span.ts'
import { SpanFields } from '../../parts/forms/span/span-fields.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { fieldOf, ledgerQueryOf, scopeOf } from './ledger-query.ts'
import type { useLedger } from './use-ledger.ts'

/** The question is in the URL. It is asked when the user says so, because it reads much. */
export function LedgerForm({ taking }: Pick<ReturnType<typeof useLedger>, 'taking'>) {
  const [params, setParams] = useSearchParams()
  const [typed, setTyped] = useState<ReturnType<typeof ledgerQueryOf>['violations']>([])
  const { project, environment } = scopeOf(params)
  const change = (part: Record<string, string>) =>
    setParams(withChoice(params, part), { replace: true })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { query, violations } = ledgerQueryOf(params, new Date())
    setTyped(violations)
    if (query !== null) taking.mutate(query)
  }
  const faultAt = (field: string) =>
    violationOf(typed, field) ?? violationOf(faultOf(taking.error).violations, fieldOf(field))
  return (
    <Card title="Which deliveries">
      <form className="stack" onSubmit={submit} noValidate>
        <SpanFields choice={choiceOf(params)} onChange={change} faultAt={faultAt} />
        <div className="columns">
          <TextField
            label="Project"
            hint="Empty: all projects"
            value={project}
            onChange={({ target }) => change({ project: target.value.trim() })}
            violation={faultAt('project')}
          />
          <TextField
            label="Environment"
            hint="Empty: all environments"
            value={environment}
            onChange={({ target }) => change({ environment: target.value.trim() })}
            violation={faultAt('environment')}
          />
        </div>
        <FormActions action="Take the ledger" isPending={taking.isPending} />
      </form>
    </Card>
  )
}
