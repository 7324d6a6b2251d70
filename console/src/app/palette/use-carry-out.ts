import { useLocation, useNavigate } from 'react-router'
import { useKeys } from '../../parts/keys/keys.tsx'
import { chooseTheme } from '../../parts/theme/theme.ts'
import type { Session } from '../../session/session.ts'
import { useKeeper } from '../../session/session-context.tsx'
import type { Entry } from './entries.ts'

/** Does what an entry says. Returns whether another page takes the focus. */
export function useCarryOut(session: Session): (entry: Entry) => boolean {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const keeper = useKeeper()
  const keys = useKeys()
  return ({ choice }) => {
    switch (choice.kind) {
      case 'go':
        void navigate(choice.to)
        return new URL(choice.to, window.location.origin).pathname !== pathname
      case 'environment':
        if (session.kind === 'developer') {
          keeper.become({ ...session, environment: choice.environment })
        }
        return false
      case 'theme':
        chooseTheme(choice.theme)
        return false
      case 'keys':
        keys.show()
        return true
    }
  }
}
