import { Icon } from '../layout/icon.tsx'

type ChipsProps = {
  label: string
  texts: readonly string[]
  wrong?: readonly number[]
  onRemove: (index: number) => void
}

/** Values that can be removed one by one. */
export function Chips({ label, texts, wrong = [], onRemove }: ChipsProps) {
  if (texts.length === 0) return null
  return (
    <ul className="chips" aria-label={label}>
      {texts.map((text, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the same value may be there twice
        <li key={index} className="chip" data-wrong={wrong.includes(index) || undefined}>
          <span title={text}>{text}</span>
          <button type="button" aria-label={`Remove ${text}`} onClick={() => onRemove(index)}>
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
    </ul>
  )
}
