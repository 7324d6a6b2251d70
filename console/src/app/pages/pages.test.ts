import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { pages, pagesToFind, pageToKeep } from './pages.ts'

/** The anchors that GitHub gives to the headings of a file. */
function anchorsOf(file: string): string[] {
  const text = readFileSync(new URL(`../../../../docs/${file}`, import.meta.url), 'utf8')
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  )
}

it.each(pages)('the page /$path has a page of the docs: $docs', ({ docs }) => {
  const [file = '', anchor] = docs.split('#')
  const anchors = anchorsOf(file)
  if (anchor !== undefined) expect(anchors).toContain(anchor)
})

describe('a page for another environment', () => {
  it.each([
    ['/', '/'],
    ['/webhooks', '/webhooks'],
    ['/webhooks/new', '/webhooks/new'],
    ['/webhooks/0198/edit', '/webhooks'],
    ['/tables/orders/records/7', '/tables'],
    ['/deliveries/0198/0199', '/deliveries'],
    ['/api/graphql', '/api/graphql'],
    ['/nothing/here', '/'],
  ])('%s stays %s', (pathname, expected) => {
    expect(pageToKeep(pathname, 'developer')).toBe(expected)
  })
})

it('finds only pages of the session, and none that needs an id', () => {
  const developer = pagesToFind('developer').map(({ to }) => to)
  expect(developer).toEqual(expect.arrayContaining(['/', '/webhooks/new', '/api/graphql']))
  expect(developer.filter((to) => to.includes(':') || to.startsWith('/operator'))).toEqual([])
  expect(pagesToFind('operator').every(({ to }) => to.startsWith('/operator'))).toBe(true)
})
