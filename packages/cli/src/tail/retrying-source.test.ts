import { expect, it } from '@jest/globals'
import { Surehook } from '@surehook/client'
import { retryingSource } from './retrying-source.ts'

/** Answers with these, one after another. `null`: nobody answers. A number: a refusal. */
function sourceOf(...answers: (object | number | null)[]) {
  const [asked, notes]: [(string | null)[], string[]] = [[], []]
  const fetch = async (url: string | URL | Request) => {
    asked.push(new URL(new Request(url).url).searchParams.get('cursor'))
    const answer = answers.shift() ?? null
    if (answer === null) throw new TypeError('fetch failed')
    if (typeof answer !== 'number') return Response.json(answer)
    return Response.json({ code: 'FORBIDDEN', message: 'no' }, { status: answer })
  }
  const given = { baseUrl: 'http://surehook.test', projectId: 'shop', token: 't', maxRetries: 0 }
  const { signal } = new AbortController()
  const note = (line: string) => notes.push(line)
  return {
    asked,
    notes,
    source: retryingSource(new Surehook({ ...given, fetch }), { signal, note }),
  }
}

const page = (id: string, nextCursor: string | null) => ({ deliveries: [{ id }], nextCursor })

it('goes on at the page that got no answer', async () => {
  const { asked, notes, source } = sourceOf(page('a', 'second'), null, page('b', null))
  const found: string[] = []
  for await (const { id } of source.search({})) found.push(id)
  expect([found, asked]).toEqual([
    ['a', 'b'],
    [null, 'second', 'second'],
  ])
  expect(notes).toEqual([expect.stringContaining('trying again'), 'connected again'])
  // The pause after the first failure is 1 s.
  expect(source.outageMs).toBeGreaterThan(900)
})

it('says once that it is connected again, also if the answer is a refusal', async () => {
  const { notes, source } = sourceOf(page('a', 'second'), null, 403)
  const pages = source.search({})[Symbol.asyncIterator]()
  await pages.next()
  await expect(pages.next()).rejects.toThrow('no')
  expect(notes).toEqual([expect.stringContaining('trying again'), 'connected again'])
})

it('does not wait for a platform that never answered', async () => {
  const { notes, source } = sourceOf(null)
  await expect(source.search({})[Symbol.asyncIterator]().next()).rejects.toThrow()
  expect(notes).toEqual([])
})
