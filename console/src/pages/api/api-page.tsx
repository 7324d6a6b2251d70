import { type Column, DataTable } from '../../parts/data/data-table.tsx'
import { Command } from '../../parts/feedback/empty-state.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { type ApiDocument, documents, pathOf } from './documents.ts'

const columns: readonly Column<ApiDocument>[] = [
  {
    id: 'document',
    header: 'Document',
    cell: (one) => (
      <a href={pathOf(one)} target="_blank" rel="noreferrer">
        {one.title}
      </a>
    ),
  },
  { id: 'about', header: 'Describes', cell: ({ about }) => about },
  { id: 'path', header: 'Path', cell: (one) => <code>{pathOf(one)}</code>, isOptional: true },
]

const idOf = ({ name }: ApiDocument) => name

export function Page() {
  const { origin } = window.location
  return (
    <Frame
      title="API"
      description="The console calls the same API as your code. OpenAPI 3.1 documents describe it."
    >
      <Card isFlush>
        <DataTable label="OpenAPI documents" columns={columns} rows={documents} idOf={idOf} />
      </Card>
      <Card title="Call it">
        <div className="stack">
          <p className="quiet">
            The documents need no token. Generators of clients and tools such as Postman read them.
          </p>
          <Command text={`curl ${origin}${pathOf({ name: 'data' })}`} />
          <p className="quiet">For TypeScript there is a client with types of every call.</p>
          <Command text="npm install @surehook/client" label="Command for npm" />
        </div>
      </Card>
    </Frame>
  )
}
