import { type ReactNode, useEffect } from 'react'
import { Link } from 'react-router'
import { DocsLink } from './docs-link.tsx'
import { Icon } from './icon.tsx'
import './page.css'

type PageProps = {
  title: string
  /** Where the page belongs, such as the list that it came from. */
  parent?: { to: string; label: string }
  /** Beside the title, such as a badge. */
  beside?: ReactNode
  description?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** The frame of every page: its title, what one can do, and its content. */
export function Page({ title, parent, beside, description, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Surehook`
  }, [title])
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-titles">
          {parent && (
            <Link className="page-parent" to={parent.to}>
              <Icon name="back" size={14} />
              {parent.label}
            </Link>
          )}
          <div className="row">
            <h1 tabIndex={-1}>{title}</h1>
            {beside}
          </div>
          {description !== undefined && <p className="page-description">{description}</p>}
        </div>
        <div className="row">
          {actions}
          <DocsLink />
        </div>
      </header>
      {children}
    </div>
  )
}

type CardProps = {
  title?: string
  actions?: ReactNode
  /** The content reaches the edges, as a table does. */
  isFlush?: boolean
  children: ReactNode
}

export function Card({ title, actions, isFlush = false, children }: CardProps) {
  return (
    <section className="card">
      {title !== undefined && (
        <div className="card-head">
          <h2>{title}</h2>
          {actions !== undefined && <div className="row">{actions}</div>}
        </div>
      )}
      <div className={isFlush ? 'card-flush' : 'card-body'}>{children}</div>
    </section>
  )
}

export type FactsProps = {
  items: readonly (readonly [string, ReactNode])[]
  className?: string
}

/** Facts, each with its name. */
export function Facts({ items, className = 'facts' }: FactsProps) {
  return (
    <dl className={className}>
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
