import type { RouteObject } from 'react-router'
import { NotFound } from './not-found.tsx'
import { OnlyFor } from './only-for.tsx'
import { PageFault } from './page-fault.tsx'
import { Root } from './root.tsx'
import { type PageEntry, pages } from './shell/pages.ts'

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

function routeOf({ path, for: kind, load }: PageEntry): RouteObject {
  const lazy = async () => {
    const { Page } = await load()
    return {
      Component: () => (
        <OnlyFor kind={kind}>
          <Page />
        </OnlyFor>
      ),
    }
  }
  return path === '' ? { index: true, lazy } : { path, lazy }
}
