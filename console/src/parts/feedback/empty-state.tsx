import type { ReactNode } from 'react'
import { ButtonLink } from '../forms/button.tsx'
import { CopyButton } from '../forms/copy-button.tsx'
import { Icon, type IconName } from '../layout/icon.tsx'
import './empty-state.css'

type EmptyStateProps = {
  icon: IconName
  title: string
  children?: ReactNode
  /** A command that makes the first entry. */
  command?: string
  action?: ReactNode
}

/** Says what would be here, and the next step. */
export function EmptyState({ icon, title, children, command, action }: EmptyStateProps) {
  return (
    <div className="empty-state">
      <span className="empty-icon">
        <Icon name={icon} size={20} />
      </span>
      <h2>{title}</h2>
      {children !== undefined && <div className="quiet">{children}</div>}
      {action}
      {command !== undefined && <Command text={command} />}
    </div>
  )
}

type NothingFoundProps = {
  title: string
  /** The label of the link to the whole list. */
  all: string
}

/** A search that found nothing. */
export const NothingFound = ({ title, all }: NothingFoundProps) => (
  <EmptyState icon="search" title={title} action={<ButtonLink to="?">{all}</ButtonLink>} />
)

export function Command({ text, label = 'Command' }: { text: string; label?: string }) {
  return (
    <div className="command">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </div>
  )
}
