import { Menu as Base } from '@base-ui/react/menu'
import './menu.css'

export type MenuItem = { label: string; onSelect: () => void; isDangerous?: boolean }

/** Further actions, behind one button. */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  return (
    <Base.Root>
      <Base.Trigger className="button secondary">{label}</Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="menu-place" sideOffset={4} align="end">
          <Base.Popup className="menu">
            {items.map(({ label: text, onSelect, isDangerous = false }) => (
              <Base.Item
                key={text}
                className="menu-item"
                data-dangerous={isDangerous || undefined}
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
