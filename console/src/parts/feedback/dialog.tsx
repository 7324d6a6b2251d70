import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { Button } from '../forms/button.tsx'
import { FaultNotice } from './notice.tsx'
import './dialog.css'

type DialogProps = {
  isOpen: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** Buttons, the main one last. */
  actions?: ReactNode
  /** The button that closes without an action. */
  dismiss?: string
}

export function Dialog(props: DialogProps) {
  const { isOpen, onClose, title, children, actions } = props
  const { dismiss = actions === undefined ? 'Close' : 'Cancel' } = props
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="dialog-backdrop" />
        <Base.Popup className="dialog">
          <Base.Title className="dialog-title">{title}</Base.Title>
          <div className="dialog-body">{children}</div>
          <div className="dialog-actions">
            <Base.Close className="button secondary">{dismiss}</Base.Close>
            {actions}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

type ConfirmProps = Omit<DialogProps, 'actions'> & {
  /** The verb on the button. */
  action: string
  isDangerous?: boolean
  /** False while the text does not say yet what happens. */
  isReady?: boolean
  /** The mutation that the button runs. */
  running: { isPending: boolean; error: unknown }
  onConfirm: () => void
}

/** Asks before an action that cannot be undone. Its text says what happens. */
export function ConfirmDialog({ action, running, onConfirm, ...props }: ConfirmProps) {
  const { isDangerous = false, isReady = true, children, ...dialog } = props
  const look = isDangerous ? 'danger' : 'primary'
  return (
    <Dialog
      {...dialog}
      actions={
        <Button look={look} isPending={running.isPending} isReady={isReady} onClick={onConfirm}>
          {action}
        </Button>
      }
    >
      {children}
      {running.error !== null && <FaultNotice error={running.error} />}
    </Dialog>
  )
}
