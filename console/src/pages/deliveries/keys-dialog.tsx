import { Dialog } from '../../parts/feedback/dialog.tsx'

const keys = [
  ['j', 'Next delivery'],
  ['k', 'Previous delivery'],
  ['Enter', 'Open the delivery'],
  ['r', 'Redeliver the delivery'],
  ['/', 'Go to the filters'],
  ['?', 'Show these keys'],
] as const

export function KeysDialog({ onClose }: { onClose: () => void }) {
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
