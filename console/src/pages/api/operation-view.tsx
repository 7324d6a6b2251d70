import { errorMeanings } from '@surehook/contracts/openapi/error-meanings'
import { curlOf } from '@surehook/contracts/openapi/reference/curl'
import {
  bodyRows,
  type FieldRow,
  fieldRows,
  parameterRow,
} from '@surehook/contracts/openapi/reference/field-rows'
import { baseOf, credentialOf, errorsOf } from '@surehook/contracts/openapi/reference/operations'
import { typeOf } from '@surehook/contracts/openapi/reference/schema-words'
import { sentence } from '@surehook/contracts/openapi/reference/words'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { useApi } from '../../api/api.ts'
import { JsonView } from '../../parts/data/json/json-view.tsx'
import { Command } from '../../parts/feedback/empty-state.tsx'
import { CopyButton } from '../../parts/forms/copy-button.tsx'
import { Icon } from '../../parts/layout/icon.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { FieldList } from './field-list.tsx'
import { InlineCode } from './inline-code.tsx'
import { MethodBadge } from './method-badge.tsx'
import type { Entry } from './operations.ts'

type OperationProps = { entry: Entry; backTo: string }

/** Everything that the document says about one operation. */
export function OperationView({ entry, backTo }: OperationProps) {
  const { operation, method, path } = entry
  return (
    <article className="operation stack" aria-label={operation.summary}>
      <header className="stack-tight">
        <Link className="page-parent operation-back" to={backTo}>
          <Icon name="back" size={14} />
          All operations
        </Link>
        <div className="row spread">
          <FocusedHeading key={entry.id}>{operation.summary}</FocusedHeading>
          <CopyButton text={linkTo(entry)} label="Copy link" />
        </div>
        <p className="row">
          <MethodBadge method={method} />
          <code className="breakable">{path}</code>
        </p>
        <p>
          <InlineCode text={operation.description} />
        </p>
      </header>
      <CallCard entry={entry} />
      <RequestCards entry={entry} />
      <AnswerCard entry={entry} />
      <ErrorsCard entry={entry} />
    </article>
  )
}

const linkTo = ({ id }: Entry) => `${window.location.origin}/console/api?operation=${id}`

/** The user who opened the operation continues to read here. */
function FocusedHeading({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <h2 ref={heading} tabIndex={-1} className="operation-title">
      {children}
    </h2>
  )
}

function CallCard({ entry }: { entry: Entry }) {
  const { session } = useApi()
  const { operation, document, method, path, isCall } = entry
  if (!isCall) return null
  const { project = '', environment = '' } = session.kind === 'developer' ? session : {}
  const command = curlOf(operation, {
    method,
    path: path.slice(baseOf(document).length),
    base: baseOf(document),
    origin: window.location.origin,
    values: { 'x-project-id': project, project, environment },
  })
  return (
    <Card title="Call">
      <div className="stack-tight">
        <p>
          Credential: <InlineCode text={credentialOf(operation)} />.
        </p>
        <Command text={command} label={`Command that calls ${operation.operationId}`} />
      </div>
    </Card>
  )
}

function RequestCards({ entry: { operation, document, isCall } }: { entry: Entry }) {
  const parameters = (operation.parameters ?? []).map((one) => parameterRow(document, one))
  const bodies = Object.entries(operation.requestBody?.content ?? {})
  return (
    <>
      {parameters.length > 0 && (
        <Card title="Parameters">
          <FieldList label="Parameters" rows={parameters} />
        </Card>
      )}
      {bodies.map(([type, { schema = {}, example }]) => (
        <Card key={type} title={`Body: ${type}`}>
          <BodyView
            what={typeOf(document, schema)}
            label={`Body as ${type}`}
            rows={bodyRows(document, schema)}
            // The command above has the example.
            example={isCall && type === 'application/json' ? undefined : example}
          />
        </Card>
      ))}
    </>
  )
}

function AnswerCard({ entry: { operation, document } }: { entry: Entry }) {
  const answers = Object.entries(operation.responses).filter(([status]) => !/^[45]/.test(status))
  return answers.map(([status, { description, content = {} }]) => {
    const [first] = Object.entries(content)
    const meaning = (
      <p>
        <InlineCode text={sentence(description)} />
      </p>
    )
    if (first === undefined) {
      return (
        <Card key={status} title={`Answer ${status}`}>
          {meaning}
        </Card>
      )
    }
    const [type, { schema = {}, example }] = first
    return (
      <Card key={status} title={`Answer ${status}: ${type}`}>
        <div className="stack-tight">
          {meaning}
          <BodyView
            what={typeOf(document, schema)}
            label={`Answer ${status}`}
            rows={bodyRows(document, schema)}
            example={example}
          />
        </div>
      </Card>
    )
  })
}

type BodyProps = { what: string; label: string; rows: readonly FieldRow[]; example: unknown }

function BodyView({ what, label, rows, example }: BodyProps) {
  return (
    <div className="stack-tight">
      {example !== undefined && <JsonView label={`${label}, an example`} text={textOf(example)} />}
      {rows.length === 0 ? (
        <p className="quiet">Type: {what}.</p>
      ) : (
        <details className="fields" open={rows.length <= 12}>
          <summary>
            {rows.length === 1 ? '1 field' : `${rows.length} fields`}
            <span className="visually-hidden"> of {label}</span>
          </summary>
          <FieldList label={`Fields of ${label}`} rows={rows} />
        </details>
      )}
    </div>
  )
}

const textOf = (example: unknown) =>
  typeof example === 'string' ? example : JSON.stringify(example)

function ErrorsCard({ entry: { operation, document, isCall } }: { entry: Entry }) {
  if (!isCall) return null
  const problem = document.components.schemas['Problem']
  return (
    <Card title="Errors">
      <div className="stack-tight">
        <ul className="field-list" aria-label="Errors">
          {errorsOf(operation).map(([status, code]) => (
            <li key={code}>
              <p className="field-list-head">
                <code>{code}</code>
                <span className="quiet">{status}</span>
              </p>
              <p>
                <InlineCode text={meaningOf(code)} />
              </p>
            </li>
          ))}
        </ul>
        {problem !== undefined && (
          <details className="fields">
            <summary>Fields of an error</summary>
            <FieldList label="Fields of an error" rows={fieldRows(document, problem)} />
          </details>
        )}
      </div>
    </Card>
  )
}

const meaningOf = (code: string): string => errorMeanings[code as keyof typeof errorMeanings] ?? ''
