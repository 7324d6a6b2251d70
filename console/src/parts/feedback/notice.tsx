import type { ReactNode } from 'react'
import { Button } from '../forms/button.tsx'
import { faultOf } from './faults.ts'
import './notice.css'

type NoticeProps = { tone?: 'info' | 'warn' | 'bad'; title?: string; children?: ReactNode }

export function Notice({ tone = 'info', title, children }: NoticeProps) {
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      {title !== undefined && <p className="notice-title">{title}</p>}
      {children}
    </div>
  )
}

type FaultNoticeProps = { error: unknown; retry?: (() => void) | undefined; retryLabel?: string }

/** A failed call: its message, its violations, and the request to look for in the logs. */
export function FaultNotice({ error, retry, retryLabel = 'Try again' }: FaultNoticeProps) {
  const { message, requestId, violations } = faultOf(error)
  return (
    <Notice tone="bad" title={message}>
      {violations.length > 0 && (
        <ul className="notice-list">
          {violations.map((one) => (
            <li key={`${one.field} ${one.message}`}>
              <code>{one.field}</code> {one.message}
            </li>
          ))}
        </ul>
      )}
      {requestId !== null && (
        <p className="small">
          Request <code className="breakable">{requestId}</code>
        </p>
      )}
      {retry && (
        <p>
          <Button onClick={retry}>{retryLabel}</Button>
        </p>
      )}
    </Notice>
  )
}
