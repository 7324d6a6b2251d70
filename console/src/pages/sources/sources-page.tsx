import type { Source } from '@surehook/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { freshMs } from '../../api/queries.ts'
import { Command, EmptyState } from '../../parts/feedback/empty-state.tsx'
import { RightView } from '../../parts/feedback/right-view.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { SourceCard } from './source-card.tsx'

export function Page() {
  const { surehook, keyOf } = useApi()
  const query = useQuery({
    queryKey: keyOf('sources'),
    queryFn: ({ signal }) => surehook.sources.list({ signal }),
    refetchInterval: freshMs,
  })
  return (
    <Frame
      title="Sources"
      description="PostgreSQL databases of your own, whose changes become events."
    >
      <RightView query={query} right="sources">
        {(sources) => (sources.length === 0 ? <NoSources /> : <Sources sources={sources} />)}
      </RightView>
    </Frame>
  )
}

const Sources = ({ sources }: { sources: readonly Source[] }) => (
  <div className="stack">
    {sources.map((source) => (
      <SourceCard key={source.name} source={source} />
    ))}
    <Card title="Add or change a source">
      <div className="stack-tight">
        <p>The command asks for the URL, because it holds a password.</p>
        <Command text={addCommand} />
      </div>
    </Card>
  </div>
)

const addCommand = 'npx surehook sources add shop'

const NoSources = () => (
  <Card>
    <EmptyState icon="source" title="No sources yet" command={addCommand}>
      <p>Surehook reads the changes of a database from its write-ahead log.</p>
    </EmptyState>
  </Card>
)
