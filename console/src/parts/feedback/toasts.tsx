import { Toast } from '@base-ui/react/toast'
import type { ReactNode } from 'react'
import { Icon } from '../layout/icon.tsx'
import { faultOf } from './faults.ts'
import './toasts.css'

/** Short messages about what happened. Screen readers announce them. */
export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider timeout={6_000} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast" data-tone={toast.type}>
      <Toast.Content className="toast-content">
        <Toast.Title className="toast-title" />
        <Toast.Description className="toast-description" />
      </Toast.Content>
      <Toast.Close className="button ghost" aria-label="Close the message">
        <Icon name="close" />
      </Toast.Close>
    </Toast.Root>
  ))
}

export function useToasts() {
  const { add } = Toast.useToastManager()
  return {
    done: (title: string, description?: string) =>
      void add({ title, description, type: 'good', priority: 'low' }),
    /** For a failure that belongs to no field. */
    failed: (what: string, err: unknown) => {
      const { message, requestId } = faultOf(err)
      const request = requestId === null ? '' : ` (request ${requestId})`
      add({ title: what, description: `${message}${request}`, type: 'bad', priority: 'high' })
    },
  }
}
