import type { ReactNode } from 'react'
import { NavLink } from 'react-router'
import { Page as Frame } from '../../parts/layout/page.tsx'
import '../../parts/layout/tabs.css'
import './api.css'

/** The frame of the two pages about the API. */
export function ApiFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Frame
      title={title}
      description="Look up the operations of the API, or try them. The console calls the same API as your code."
    >
      <nav className="tab-list api-tabs" aria-label="About the API">
        <NavLink className="tab" to="/api" end>
          Reference
        </NavLink>
        <NavLink className="tab" to="/api/graphql">
          GraphQL
        </NavLink>
      </nav>
      {children}
    </Frame>
  )
}
