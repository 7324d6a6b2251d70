import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import './tabs.css'

export type TabItem = { id: string; label: string; content: ReactNode }

type TabsProps = {
  label: string
  items: readonly TabItem[]
  /** Set both to keep the tab elsewhere, such as in the URL. */
  value?: string
  onChange?: (id: string) => void
}

export function Tabs({ label, items, value, onChange }: TabsProps) {
  const held = value === undefined ? { defaultValue: items[0]?.id } : { value }
  return (
    <Base.Root {...held} onValueChange={(id) => onChange?.(String(id))} className="tabs">
      <Base.List className="tab-list" aria-label={label} activateOnFocus>
        {items.map((item) => (
          <Base.Tab key={item.id} value={item.id} className="tab">
            {item.label}
          </Base.Tab>
        ))}
      </Base.List>
      {items.map((item) => (
        <Base.Panel key={item.id} value={item.id} className="tab-panel">
          {item.content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
