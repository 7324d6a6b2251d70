import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter } from '@codemirror/lint'
import { EditorState, StateEffect } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import type { EditorMark } from './editor-mark.ts'

type CodeMirrorProps = {
  label: string
  value: string
  marks: readonly EditorMark[]
  onChange: (text: string) => void
}

const theme = EditorView.theme({
  '&': { fontSize: '0.8125rem', maxHeight: '24rem', minHeight: '7.5rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { padding: '0.5rem 0.25rem', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    background: 'var(--accent-soft)',
  },
  // The editor's own underline is an image in a data: URL, which the policy refuses.
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    background: 'var(--surface)',
    color: 'var(--ink)',
  },
})

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--json-key)' },
  { tag: tags.string, color: 'var(--json-string)' },
  { tag: tags.number, color: 'var(--json-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--json-literal)' },
])

/** An empty document is no fault: it means that there is no such JSON. */
const parse = jsonParseLinter()
const faults = linter((view) => (view.state.doc.toString().trim() === '' ? [] : parse(view)))

const marked = StateEffect.define()

/** What the API found wrong with the text. */
const violations = (marks: { readonly current: readonly EditorMark[] }) =>
  linter((view) => marks.current.map((mark) => diagnosticOf(mark, view.state.doc.length)), {
    needsRefresh: ({ transactions }) =>
      transactions.some(({ effects }) => effects.some((effect) => effect.is(marked))),
  })

const diagnosticOf = ({ from, to, message }: EditorMark, length: number): Diagnostic => ({
  from: Math.min(from, length),
  to: Math.min(to, length),
  severity: 'error',
  message,
})

/** No indentation with Tab: the key must lead out of the editor. */
const keys = keymap.of([...defaultKeymap, ...historyKeymap])

const extensions = [
  history(),
  keys,
  json(),
  faults,
  bracketMatching(),
  syntaxHighlighting(colours),
  theme,
  EditorView.lineWrapping,
]

/**
 * The editor lives in a shadow root. There it adds its styles as style sheets. In a document it
 * would add inline ones, which the content security policy refuses.
 */
export default function CodeMirror({ label, value, marks, onChange }: CodeMirrorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const changed = useRef(onChange)
  const shownMarks = useRef(marks)
  const first = useRef(value)
  useEffect(() => {
    changed.current = onChange
  })
  useEffect(() => {
    if (place.current === null) return
    const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: 'open' })
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          ...extensions,
          violations(shownMarks),
          // A text that scrolls must be within reach of the keyboard, by a tabindex that checkers see.
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [label])
  useEffect(() => replaceText(view.current, value), [value])
  useEffect(() => {
    shownMarks.current = marks
    view.current?.dispatch({ effects: marked.of(null) })
  }, [marks])
  return <div ref={place} />
}

function replaceText(view: EditorView | null, text: string): void {
  if (view === null || view.state.doc.toString() === text) return
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
}
