import type { GraphQLSchema } from 'graphql'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { Loading } from '../../parts/feedback/loading.tsx'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { CopyButton } from '../../parts/forms/copy-button.tsx'
import { SelectField } from '../../parts/forms/field.tsx'
import { JsonEditor } from '../../parts/forms/json-editor.tsx'
import { Menu } from '../../parts/layout/menu.tsx'
import { Tabs } from '../../parts/layout/tabs.tsx'
import { curlOfGraphQL, type GraphQLBody } from './ask.ts'
import { DocsPanel } from './docs-panel.tsx'
import { type Draft, titleOf, useDraft, withAsked } from './draft.ts'
import type { AskingUser, GraphQLEndpoint } from './endpoints.ts'
import { GraphQLEditor } from './graphql-editor.tsx'
import { chosenOf, firstQuery, formatted, operationsIn } from './operations-text.ts'
import { ResultView } from './result-view.tsx'
import { requestOf, useRun } from './use-run.ts'
import { useSchema } from './use-schema.ts'

type ExplorerProps = { endpoint: GraphQLEndpoint; user: AskingUser }

/** The editor with its variables on one side, the result and the schema on the other. */
export function Explorer({ endpoint, user }: ExplorerProps) {
  const schema = useSchema(endpoint, user)
  const [draft, change] = useDraft(endpoint)
  const [shown, setShown] = useState('result')
  const query = draft.query ?? (schema.data === undefined ? '' : firstQuery(schema.data))
  const operations = operationsIn(query)
  const { body, fault } = requestOf(draft, query, operations)
  const run = useRun(endpoint, user)
  const start = () => {
    if (body === null) return
    setShown('result')
    change({ past: withAsked(draft.past, { query, variables: draft.variables }) })
    run.mutate(body)
  }
  return (
    <>
      {schema.error !== null && (
        <FaultNotice error={schema.error} retry={() => void schema.refetch()} />
      )}
      <div className="explorer" onKeyDownCapture={(event) => onRunKey(event, start)}>
        <div className="stack">
          <GraphQLEditor
            schema={schema.data}
            value={query}
            // A suggestion that nobody changed stays one: the tables may change.
            onChange={(text) => text !== query && change({ query: text })}
          />
          <JsonEditor
            label="Variables"
            value={draft.variables}
            violation={fault ?? undefined}
            onChange={(variables) => change({ variables })}
          />
          {operations.length > 1 && (
            <OperationChoice operations={operations} draft={draft} change={change} />
          )}
          <div className="row">
            <Button
              look="primary"
              isReady={body !== null}
              isPending={run.isPending}
              onClick={start}
            >
              Run
            </Button>
            <FormatButton query={query} change={change} />
            <History draft={draft} change={change} />
            <CopyRequest endpoint={endpoint} body={body} isUser={user.token !== ''} />
          </div>
          <p className="hint">
            Ctrl-Enter or ⌘-Enter runs. Ctrl-Space completes. Nothing that you type here outlasts
            the session.
          </p>
        </div>
        <Answer schema={schema.data} run={run} shown={shown} onShow={setShown} />
      </div>
    </>
  )
}

type AnswerProps = {
  schema: GraphQLSchema | undefined
  run: ReturnType<typeof useRun>
  shown: string
  onShow: (tab: string) => void
}

function Answer({ schema, run, shown, onShow }: AnswerProps) {
  const docs = schema === undefined ? <Loading /> : <DocsPanel schema={schema} />
  const tabs = [
    { id: 'result', label: 'Result', content: <ResultView run={run} /> },
    { id: 'schema', label: 'Schema', content: docs },
  ]
  return <Tabs label="Answer" items={tabs} value={shown} onChange={onShow} />
}

type RunKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'preventDefault'> & {
  stopPropagation: () => void
}

/** Before the editor, for which the key makes a blank line. */
function onRunKey(event: RunKey, start: () => void): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.stopPropagation()
  start()
}

type Change = { change: (part: Partial<Draft>) => void }

type OperationChoiceProps = Change & { operations: readonly string[]; draft: Draft }

function OperationChoice({ operations, draft, change }: OperationChoiceProps) {
  return (
    <SelectField
      label="Run the operation"
      value={chosenOf(draft.operation, operations)}
      onChange={(event) => change({ operation: event.target.value })}
    >
      {operations.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  )
}

function FormatButton({ query, change }: Change & { query: string }) {
  const text = formatted(query)
  const format = () => text !== null && change({ query: text })
  return (
    <Button
      isReady={text !== null}
      onClick={format}
      title="A document with comments stays as it is"
    >
      Format
    </Button>
  )
}

function History({ draft, change }: Change & { draft: Draft }) {
  if (draft.past.length === 0) return null
  const items = draft.past.map(({ query, variables }, index) => ({
    label: `${index + 1}. ${titleOf({ query, variables })}`,
    onSelect: () => change({ query, variables }),
  }))
  return <Menu label="History" items={items} />
}

type CopyRequestProps = { endpoint: GraphQLEndpoint; body: GraphQLBody | null; isUser: boolean }

function CopyRequest({ endpoint, body, isUser }: CopyRequestProps) {
  const { session } = useApi()
  if (body === null || session.kind !== 'developer') return null
  const { origin } = window.location
  const text = curlOfGraphQL({ endpoint, body, origin, tenant: session, isUser })
  return <CopyButton text={text} label="Copy as curl" />
}
