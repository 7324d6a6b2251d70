import { Menu as Base } from '@base-ui/react/menu'
import './menu.css'

export type MenuItem = {
  label: string
  onSelect: () => void
  isDangerous?: boolean
  /** Its action runs. The menu's button shows that, because the menu closes. */
  isPending?: boolean
}

/** Further actions, behind one button. */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const isPending = items.some((item) => item.isPending === true)
  return (
    <Base.Root>
      <Base.Trigger className="button secondary" aria-busy={isPending}>
        {label}
        {isPending && <span className="spinner" aria-hidden="true" />}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="menu-place" sideOffset={4} align="end">
          <Base.Popup className="menu">
            {items.map(({ label: text, onSelect, ...item }) => (
              <Base.Item
                key={text}
                className="menu-item"
                data-dangerous={item.isDangerous || undefined}
                disabled={item.isPending === true}
                onClick={onSelect}
              >
                {text}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
