import type { ReactNode } from 'react'
import './stats.css'

/** A few figures, large enough to see at a glance. */
export function Stats({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="stats">
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
