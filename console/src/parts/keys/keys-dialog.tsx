import { Dialog } from '../feedback/dialog.tsx'
import type { PageKey } from './page-key.ts'
import { findKeys } from './shortcut.ts'
import './keys.css'

const ofLists = [
  ['j, ↓', 'Next entry of a list'],
  ['k, ↑', 'Previous entry'],
  ['Enter', 'Open the entry'],
] as const

const ofAll = [
  ['/', 'Search this page, or everything'],
  [findKeys, 'Search everything, or go to a page'],
  ['?', 'Show these keys'],
] as const

type KeysDialogProps = { own: readonly PageKey[]; onClose: () => void }

export function KeysDialog({ own, onClose }: KeysDialogProps) {
  const keys = [...ofLists, ...own.map(({ key, does }) => [key, does] as const), ...ofAll]
  return (
    <Dialog isOpen onClose={onClose} title="Keys">
      <dl className="keys">
        {keys.map(([key, what]) => (
          <div key={key} className="keys-row">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
