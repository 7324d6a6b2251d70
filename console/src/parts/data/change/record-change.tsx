import { useMemo, useState } from 'react'
import { Button } from '../../forms/button.tsx'
import { visibleText } from '../json/json-tokens.ts'
import { JsonView } from '../json/json-view.tsx'
import { plural } from '../numbers.ts'
import { Badge } from '../status-badge.tsx'
import { type FieldRow, type Fields, fieldRows, readableValue } from './field-rows.ts'
import './record-change.css'

type RecordChangeProps = {
  /** Names the JSON of the record. */
  label: string
  record: Fields
  changedFields: readonly string[]
  /** The record before the change, if it is known. */
  before?: Fields | null
  /** How many fields show at first. Default: all. */
  most?: number
}

/** The fields of a record, those that the change set first and marked. Its JSON is on demand. */
export function RecordChange(props: RecordChangeProps) {
  const { label, record, changedFields, before = null, most = Number.POSITIVE_INFINITY } = props
  const rows = useMemo(
    () => fieldRows(record, changedFields, before),
    [record, changedFields, before],
  )
  const [isWhole, setWhole] = useState(false)
  const [isJson, setJson] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, most)
  const isMore = !isJson && rows.length > most
  return (
    <div className="record-change">
      {isJson ? (
        <JsonView label={label} text={JSON.stringify(record)} />
      ) : (
        <dl>
          {shown.map((row) => (
            <FieldView key={row.name} row={row} isOldKnown={before !== null} />
          ))}
        </dl>
      )}
      <div className="record-change-do">
        {isMore && (
          <Button look="ghost" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Fewer fields' : plural(rows.length - most, 'more field')}
          </Button>
        )}
        <Button look="ghost" aria-pressed={isJson} onClick={() => setJson(!isJson)}>
          JSON
        </Button>
      </div>
    </div>
  )
}

function FieldView({ row, isOldKnown }: { row: FieldRow; isOldKnown: boolean }) {
  const { name, isChanged, before, after } = row
  const isSame = before === after
  return (
    <div>
      <dt>
        <code className="breakable">{visibleText(name)}</code>
        {isChanged && <Badge tone="info">Changed</Badge>}
      </dt>
      <dd>
        {isOldKnown && !isSame && (
          <>
            <span className="visually-hidden">before: </span>
            <del>
              <Value json={before} />
            </del>
            <span aria-hidden="true">→</span>
            <span className="visually-hidden">now: </span>
          </>
        )}
        <Value json={after} />
        {isOldKnown && isSame && <span className="quiet small">unchanged</span>}
      </dd>
    </div>
  )
}

function Value({ json }: { json: string | undefined }) {
  if (json === undefined) return <span className="quiet">not set</span>
  if (json === 'null') return <span className="quiet">null</span>
  return <span className="breakable">{visibleText(readableValue(json))}</span>
}
