import { autocompletion, closeBrackets } from '@codemirror/autocomplete'
import { graphql } from 'cm6-graphql'
import type { GraphQLSchema } from 'graphql'
import { useMemo } from 'react'
import CodeMirror from '../../parts/forms/code-mirror.tsx'
import { Field } from '../../parts/forms/field.tsx'
import '../../parts/forms/json-editor.css'

type GraphQLEditorProps = {
  schema: GraphQLSchema | undefined
  value: string
  onChange: (text: string) => void
}

/** An editor that completes and checks a document against the schema. */
export function GraphQLEditor({ schema, value, onChange }: GraphQLEditorProps) {
  const language = useMemo(
    () => [graphql(schema), autocompletion({ icons: false }), closeBrackets()],
    [schema],
  )
  return (
    <Field label="Operation">
      {({ id }) => (
        <div id={id} className="json-editor graphql-editor">
          <CodeMirror label="Operation" language={language} value={value} onChange={onChange} />
        </div>
      )}
    </Field>
  )
}
