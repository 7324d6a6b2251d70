import type { RouteObject } from 'react-router'
import { DocsProvider } from '../parts/layout/docs-link.tsx'
import { NotFound } from './not-found.tsx'
import { OnlyFor } from './only-for.tsx'
import { PageFault } from './page-fault.tsx'
import { type PageEntry, pages } from './pages/pages.ts'
import { Root } from './root.tsx'

export const routes: RouteObject[] = [
  {
    path: '/',
    element: <Root />,
    errorElement: <PageFault />,
    hydrateFallbackElement: <></>,
    children: [
      {
        errorElement: <PageFault />,
        children: [...pages.map(routeOf), { path: '*', element: <NotFound /> }],
      },
    ],
  },
]

function routeOf({ path, for: kind, docs, load }: PageEntry): RouteObject {
  const lazy = async () => {
    const { Page } = await load()
    return {
      Component: () => (
        <OnlyFor kind={kind}>
          <DocsProvider value={docs}>
            <Page />
          </DocsProvider>
        </OnlyFor>
      ),
    }
  }
  return path === '' ? { index: true, lazy } : { path, lazy }
}
