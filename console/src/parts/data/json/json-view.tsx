import { useMemo } from 'react'
import { CopyButton } from '../../forms/copy-button.tsx'
import { jsonTokens, prettyJson, visibleText } from './json-tokens.ts'
import './json-view.css'

type JsonViewProps = {
  /** What the text is, for its region and its button. */
  label: string
  /** JSON or any other text. It is shown as text, so it runs nothing. */
  text: string
  /** Shows the bytes as they are, without indentation. */
  isExact?: boolean
}

export function JsonView({ label, text, isExact = false }: JsonViewProps) {
  const shown = useMemo(() => visibleText(isExact ? text : prettyJson(text)), [text, isExact])
  const tokens = useMemo(() => jsonTokens(shown), [shown])
  return (
    <div className="json-view">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>
          {tokens.map((token, index) =>
            token.kind === 'plain' ? (
              token.text
            ) : (
              // oxlint-disable-next-line react/no-array-index-key -- tokens never move
              <span key={index} className={`json-${token.kind}`}>
                {token.text}
              </span>
            ),
          )}
        </code>
      </pre>
      <CopyButton text={text} />
    </div>
  )
}
