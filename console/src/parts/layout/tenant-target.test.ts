import { expect, it } from '@jest/globals'
import { tenantIn, tenantTarget } from './tenant-target.ts'

it('says on a link for which project and environment to sign in', () => {
  const { pathname, search } = tenantTarget('/events/1', { projectId: 'shop', environment: 'a&b' })
  expect(pathname).toBe('/events/1')
  expect(search).toBe('?project=shop&environment=a%26b')
  expect(tenantIn(new URLSearchParams(search))).toEqual({ project: 'shop', environment: 'a&b' })
})

it('keeps the query of the page', () => {
  const tenant = { projectId: 'shop', environment: 'master' }
  expect(tenantTarget('/events/1?at=2026-11-25', tenant)).toEqual({
    pathname: '/events/1',
    search: '?at=2026-11-25&project=shop&environment=master',
  })
})

it('begins with nothing but the usual environment otherwise', () => {
  expect(tenantIn(new URLSearchParams())).toEqual({ project: '', environment: 'master' })
})
