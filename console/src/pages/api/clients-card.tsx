import { Command } from '../../parts/feedback/empty-state.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { documents, pathOf } from './documents.ts'

/** What a reader needs before any operation. */
export function ClientsCard() {
  const { origin } = window.location
  return (
    <Card title="Call the API">
      <div className="stack">
        <p>
          Choose an operation to see its parameters, its answers and a command that calls it. The
          commands read your token from a variable such as <code>$MANAGEMENT_TOKEN</code>.
        </p>
        <p>For TypeScript there is a client with types of every call.</p>
        <Command text="npm install @surehook/client" label="Command for npm" />
        <p>
          Generators of clients and tools such as Postman read the OpenAPI 3.1 documents. The
          documents need no token.
        </p>
        <ul className="document-list">
          {documents.map((one) => (
            <li key={one.name}>
              <a href={pathOf(one)} target="_blank" rel="noreferrer">
                {one.title}
              </a>
              <span className="quiet">{one.about}</span>
            </li>
          ))}
        </ul>
        <Command text={`curl ${origin}${pathOf({ name: 'data' })}`} />
      </div>
    </Card>
  )
}
