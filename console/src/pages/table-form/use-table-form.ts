import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { faultOf } from '../../parts/feedback/faults.ts'
import { useNavigateAfterCall } from '../../parts/navigation/use-is-here.ts'
import { type TableDraft, tableInputOf } from './table-draft.ts'

/** The state of the form. Its own faults show once somebody tried to save. */
export function useTableForm(start: TableDraft, said: string) {
  const { surehook } = useApi()
  const navigate = useNavigateAfterCall()
  const [draft, setDraft] = useState(start)
  const [isTried, setTried] = useState(false)
  const { input, violations: typed } = tableInputOf(draft)
  const saving = useAction({
    run: () => surehook.tables.put(draft.name, input),
    done: () => said,
    changes: ['tables'],
    after: ({ name }) => void navigate(`/tables/${name}`),
  })
  const run = () => {
    setTried(true)
    if (typed.length === 0) saving.mutate()
  }
  const violations = [...(isTried ? typed : []), ...faultOf(saving.error).violations]
  return { draft, setDraft, violations, saving: { ...saving, run } }
}
