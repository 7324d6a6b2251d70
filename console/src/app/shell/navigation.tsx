import { NavLink } from 'react-router'
import { Icon } from '../../parts/layout/icon.tsx'
import type { Session } from '../../session/session.ts'
import { pages } from '../pages/pages.ts'

type NavigationProps = { kind: Session['kind']; onNavigate: () => void }

export function Navigation({ kind, onNavigate }: NavigationProps) {
  return (
    <nav aria-label="Pages">
      <ul className="nav-list">
        {pages.map(({ path, link, for: forKind }) =>
          link === undefined || forKind !== kind ? null : (
            <li key={path}>
              <NavLink
                to={`/${path}`}
                end={path === '' || path === 'operator'}
                className="nav-link"
                onClick={onNavigate}
              >
                <Icon name={link.icon} />
                {link.label}
              </NavLink>
            </li>
          ),
        )}
      </ul>
    </nav>
  )
}
