import { createBrowserRouter, RouterProvider } from 'react-router'
import { routes } from './routes.tsx'
import type { SessionKeeper } from './session/session.ts'
import { SessionProvider } from './session/session-context.tsx'

const router = createBrowserRouter(routes, { basename: '/console' })

export function App({ keeper }: { keeper: SessionKeeper }) {
  return (
    <SessionProvider value={keeper}>
      <RouterProvider router={router} />
    </SessionProvider>
  )
}
