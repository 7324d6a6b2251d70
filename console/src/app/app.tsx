import { createBrowserRouter, RouterProvider } from 'react-router'
import type { CodeSignIn } from '../session/code-sign-in.ts'
import type { SessionKeeper } from '../session/session.ts'
import { CodeProvider, SessionProvider } from '../session/session-context.tsx'
import { routes } from './routes.tsx'

export const openRouter = () => createBrowserRouter(routes, { basename: '/console' })

type AppProps = {
  keeper: SessionKeeper
  codes: CodeSignIn
  router: ReturnType<typeof openRouter>
}

export function App({ keeper, codes, router }: AppProps) {
  return (
    <SessionProvider value={keeper}>
      <CodeProvider value={codes}>
        <RouterProvider router={router} />
      </CodeProvider>
    </SessionProvider>
  )
}
