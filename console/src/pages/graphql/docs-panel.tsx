import type { GraphQLSchema } from 'graphql'
import { useState } from 'react'
import { TextField } from '../../parts/forms/field.tsx'
import { type FieldDoc, rootsOf, searchSchema, type TypeDoc, typeDoc } from './schema-docs.ts'
import '../../parts/data/field-list.css'

type OpenType = (type: string) => void

/** The schema to read: types by name, with the way back. */
export function DocsPanel({ schema }: { schema: GraphQLSchema }) {
  const [typed, setTyped] = useState('')
  const [trail, setTrail] = useState<readonly string[]>([])
  const shown = typeDoc(schema, trail.at(-1) ?? '')
  const open: OpenType = (type) => {
    setTyped('')
    setTrail((before) => [...before.slice(0, indexIn(before, type)), type])
  }
  return (
    <div className="stack">
      <TextField
        type="search"
        label="Search the schema"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {typed.trim() === '' ? (
        <>
          <nav aria-label="Types on the way here" className="row">
            <TypeButton name="Schema" open={() => setTrail([])} />
            {trail.map((name) => (
              <span key={name} className="row">
                <span className="quiet" aria-hidden="true">
                  /
                </span>
                <TypeButton name={name} open={open} />
              </span>
            ))}
          </nav>
          {shown === null ? (
            <Roots schema={schema} open={open} />
          ) : (
            <TypeView type={shown} open={open} />
          )}
        </>
      ) : (
        <FoundList schema={schema} typed={typed} open={open} />
      )}
    </div>
  )
}

const indexIn = (trail: readonly string[], type: string) =>
  trail.includes(type) ? trail.indexOf(type) : trail.length

type TypeButtonProps = { name: string; label?: string; open: OpenType }

function TypeButton({ name, label = name, open }: TypeButtonProps) {
  return (
    <button type="button" className="type-link" onClick={() => open(name)}>
      {label}
    </button>
  )
}

function Roots({ schema, open }: { schema: GraphQLSchema; open: OpenType }) {
  return (
    <ul className="field-list" aria-label="Kinds of operations">
      {rootsOf(schema).map((name) => (
        <li key={name}>
          <p>
            <TypeButton name={name} open={open} />
          </p>
          <p className="quiet">{schema.getType(name)?.description}</p>
        </li>
      ))}
    </ul>
  )
}

function TypeView({ type, open }: { type: TypeDoc; open: OpenType }) {
  const { name, kind, about, fields, members } = type
  return (
    <section className="stack-tight" aria-label={name}>
      <h2>
        {name} <span className="quiet">{kind}</span>
      </h2>
      {about !== '' && <p>{about}</p>}
      <ul className="field-list" aria-label={`Fields of ${name}`}>
        {fields.map((field) => (
          <FieldView key={field.name} field={field} open={open} />
        ))}
        {members.map((one) => (
          <li key={one.name}>
            <p>
              {one.isType ? <TypeButton name={one.name} open={open} /> : <code>{one.name}</code>}
            </p>
            {one.about !== '' && <p>{one.about}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}

function FieldView({ field, open }: { field: FieldDoc; open: OpenType }) {
  return (
    <li>
      <p className="field-list-head">
        <code>{field.name}</code>
        <TypeButton name={field.typeName} label={field.type} open={open} />
        {field.isDeprecated && <span className="quiet">deprecated</span>}
      </p>
      {field.about !== '' && <p>{field.about}</p>}
      {field.inputs.length > 0 && (
        <ul className="field-inputs" aria-label={`Arguments of ${field.name}`}>
          {field.inputs.map((input) => (
            <li key={input.name}>
              <code>{input.name}</code>{' '}
              <TypeButton name={input.typeName} label={input.type} open={open} />{' '}
              <span className="quiet">{input.about}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

type FoundProps = { schema: GraphQLSchema; typed: string; open: OpenType }

function FoundList({ schema, typed, open }: FoundProps) {
  const found = searchSchema(schema, typed)
  if (found.length === 0) return <p className="quiet">Nothing in the schema has this name.</p>
  return (
    <ul className="field-list" aria-label="Found in the schema">
      {found.map(({ type, field }) => (
        <li key={`${type}.${field}`}>
          <p className="field-list-head">
            {field !== null && <code>{field}</code>}
            <TypeButton name={type} open={open} />
          </p>
        </li>
      ))}
    </ul>
  )
}
