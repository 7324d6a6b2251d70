import type { Preview } from '@surehook/client'
import { Notice } from './notice.tsx'

type WarningsProps = { warnings: NonNullable<Preview['warnings']> }

/** What is accepted and may still be a mistake, each with its field. */
export function Warnings({ warnings }: WarningsProps) {
  return warnings.map(({ field, message }) => (
    <Notice key={field + message} tone="warn">
      <p>
        <code>{field}</code> {message}
      </p>
    </Notice>
  ))
}
