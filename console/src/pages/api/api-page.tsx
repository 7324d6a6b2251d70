import { useNavigate, useSearchParams } from 'react-router'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { ApiFrame } from './api-frame.tsx'
import { ClientsCard } from './clients-card.tsx'
import { useDocuments } from './documents.ts'
import { OperationList } from './operation-list.tsx'
import { OperationView } from './operation-view.tsx'
import { entryOf, type Group, groupsOf, search } from './operations.ts'

export function Page() {
  const documents = useDocuments()
  return (
    <ApiFrame title="API">
      <QueryView query={documents}>{(all) => <Reference groups={groupsOf(all)} />}</QueryView>
    </ApiFrame>
  )
}

/** The search and the operation live in the URL, so that each one can be shared. */
function Reference({ groups }: { groups: readonly Group[] }) {
  const [params, setParams] = useSearchParams()
  const navigate = useNavigate()
  const typed = params.get('q') ?? ''
  const selected = params.get('operation')
  const entry = entryOf(groups, selected)
  const found = search(groups, typed)
  const linkTo = (operation: string | null) => {
    const next = new URLSearchParams({
      ...(typed === '' ? {} : { q: typed }),
      ...(operation === null ? {} : { operation }),
    })
    return next.size === 0 ? '/api' : `/api?${next.toString()}`
  }
  const type = (text: string) => {
    const next = new URLSearchParams(params)
    if (text === '') next.delete('q')
    else next.set('q', text)
    setParams(next, { replace: true })
  }
  const openFirst = () => {
    const first = found[0]?.entries[0]
    if (first !== undefined) void navigate(linkTo(first.id))
  }
  return (
    <div className="reference" data-selected={selected !== null}>
      <OperationList
        groups={found}
        typed={typed}
        selected={selected}
        onType={type}
        onEnter={openFirst}
        linkTo={linkTo}
      />
      {entry !== undefined && <OperationView entry={entry} backTo={linkTo(null)} />}
      {selected === null && <ClientsCard />}
      {selected !== null && entry === undefined && (
        <NoSuchOperation id={selected} to={linkTo(null)} />
      )}
    </div>
  )
}

const NoSuchOperation = ({ id, to }: { id: string; to: string }) => (
  <Card>
    <EmptyState
      icon="api"
      title="There is no such operation"
      action={<ButtonLink to={to}>Show all operations</ButtonLink>}
    >
      <code className="breakable">{id}</code> may be of another version of Surehook.
    </EmptyState>
  </Card>
)
