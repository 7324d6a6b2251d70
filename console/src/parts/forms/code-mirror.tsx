import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter } from '@codemirror/lint'
import { Compartment, EditorState, type Extension, StateEffect } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef, useState } from 'react'
import type { EditorMark } from './editor-mark.ts'

type CodeMirrorProps = {
  label: string
  value: string
  marks?: readonly EditorMark[]
  /** Default: JSON with its faults. */
  language?: Extension
} & (
  | { onChange: (text: string) => void; isReadOnly?: false }
  | { onChange?: never; isReadOnly: true }
)

const theme = EditorView.theme({
  '&': {
    fontSize: '0.8125rem',
    maxHeight: 'var(--editor-max, 24rem)',
    minHeight: 'var(--editor-min, 7.5rem)',
  },
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
  '.cm-lintRange-warning, .cm-lintRange-info': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--warn)',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    background: 'var(--surface)',
    color: 'var(--ink)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--accent-soft)',
    color: 'var(--accent-text)',
  },
  '.cm-completionDetail': { color: 'var(--ink-3)' },
})

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--json-key)' },
  { tag: tags.string, color: 'var(--json-string)' },
  { tag: tags.number, color: 'var(--json-number)' },
  { tag: [tags.bool, tags.null, tags.special(tags.name)], color: 'var(--json-literal)' },
  { tag: [tags.keyword, tags.definitionKeyword, tags.modifier], color: 'var(--json-literal)' },
  { tag: [tags.variableName, tags.attributeName], color: 'var(--json-number)' },
  { tag: tags.atom, color: 'var(--ink)' },
  { tag: tags.comment, color: 'var(--ink-3)' },
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

/**
 * Text that is typed over a selection. A browser that replaces it by itself keeps the colours of
 * the old text as inline styles, which the policy refuses.
 */
const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data } = event
    if (inputType !== 'insertText' || data === null) return false
    const { from, to } = selectedIn(view)
    if (from === to || view.composing || view.state.readOnly) return false
    event.preventDefault()
    const insert = () =>
      view.state.update({
        changes: { from, to, insert: data },
        selection: { anchor: from + data.length },
        userEvent: 'input.type',
        scrollIntoView: true,
      })
    const handlers = view.state.facet(EditorView.inputHandler)
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert())
    return true
  },
})

/** The selection of the browser. The editor may not have read it yet. */
function selectedIn(view: EditorView): { from: number; to: number } {
  // Browsers differ in which root has the selection.
  const root = view.root as { getSelection?: () => Selection | null }
  const {
    anchorNode = null,
    anchorOffset = 0,
    focusNode = null,
    focusOffset = 0,
  } = root.getSelection?.() ?? {}
  const isKnown = view.contentDOM.contains(anchorNode) && view.contentDOM.contains(focusNode)
  if (!isKnown || anchorNode === null || focusNode === null) return view.state.selection.main
  const ends = [view.posAtDOM(anchorNode, anchorOffset), view.posAtDOM(focusNode, focusOffset)]
  return { from: Math.min(...ends), to: Math.max(...ends) }
}

const jsonLanguage = [json(), faults]
const noMarks: readonly EditorMark[] = []

const extensions = [
  history(),
  keys,
  replacing,
  bracketMatching(),
  syntaxHighlighting(colours),
  theme,
  EditorView.lineWrapping,
]

/**
 * The editor lives in a shadow root. There it adds its styles as style sheets. In a document it
 * would add inline ones, which the content security policy refuses.
 */
export default function CodeMirror(props: CodeMirrorProps) {
  const { label, value, marks = noMarks, language = jsonLanguage, onChange } = props
  const { isReadOnly = false } = props
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const changed = useRef(onChange)
  const shownMarks = useRef(marks)
  const first = useRef({ value, language })
  const [languages] = useState(() => new Compartment())
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
        doc: first.current.value,
        extensions: [
          ...extensions,
          violations(shownMarks),
          languages.of(first.current.language),
          EditorState.readOnly.of(isReadOnly),
          // A text that scrolls must be within reach of the keyboard, by a tabindex that checkers
          // see.
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [label, languages, isReadOnly])
  useEffect(() => {
    if (first.current.language === language) return
    first.current.language = language
    view.current?.dispatch({ effects: languages.reconfigure(language) })
  }, [languages, language])
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
