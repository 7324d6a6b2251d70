import { Menu as Base } from '@base-ui/react/menu'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import './menu.css'

export type MenuItem = {
  label: string
  onSelect: () => void
  isDangerous?: boolean
  /** Its action runs. The menu's button shows that, because the menu closes. */
  isPending?: boolean
}

type MenuProps = { label: string; items: readonly MenuItem[] }

/** Further actions, behind one button. */
export function Menu({ label, items }: MenuProps) {
  const isPending = items.some((item) => item.isPending === true)
  return (
    <Base.Root>
      <Base.Trigger className="button secondary" aria-busy={isPending}>
        {label}
        {isPending && <span className="spinner" aria-hidden="true" />}
      </Base.Trigger>
      <Popup>
        <Actions items={items} />
      </Popup>
    </Base.Root>
  )
}

/** The actions of a row. `label` says of which. */
export function RowMenu({ label, items }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger className="button ghost menu-row" aria-label={label}>
        <Icon name="more" />
      </Base.Trigger>
      <Popup>
        <Actions items={items} />
      </Popup>
    </Base.Root>
  )
}

type ChoiceMenuProps = {
  /** What is chosen, such as `Environment`. */
  label: string
  value: string
  options: readonly string[]
  onChange: (value: string) => void
}

/** One choice of several, behind a button that shows it. */
export function ChoiceMenu({ label, value, options, onChange }: ChoiceMenuProps) {
  return (
    <Base.Root>
      <Base.Trigger className="button secondary menu-choice" aria-label={`${label}: ${value}`}>
        <span className="menu-chosen">{value}</span>
        <Icon name="choose" size={14} />
      </Base.Trigger>
      <Popup>
        <Base.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
          {options.map((option) => (
            <Base.RadioItem key={option} value={option} className="menu-item" closeOnClick>
              <Base.RadioItemIndicator keepMounted className="menu-mark">
                <Icon name="check" size={14} />
              </Base.RadioItemIndicator>
              {option}
            </Base.RadioItem>
          ))}
        </Base.RadioGroup>
      </Popup>
    </Base.Root>
  )
}

const Popup = ({ children }: { children: ReactNode }) => (
  <Base.Portal>
    <Base.Positioner className="menu-place" sideOffset={4} align="end">
      <Base.Popup className="menu">{children}</Base.Popup>
    </Base.Positioner>
  </Base.Portal>
)

const Actions = ({ items }: { items: readonly MenuItem[] }) =>
  items.map(({ label, onSelect, ...item }) => (
    <Base.Item
      key={label}
      className="menu-item"
      data-dangerous={item.isDangerous || undefined}
      disabled={item.isPending === true}
      onClick={onSelect}
    >
      {label}
    </Base.Item>
  ))
