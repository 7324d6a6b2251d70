import { expect, it } from '@jest/globals'
import { Surehook } from '@surehook/client'
import { patientSource } from './patient-source.ts'

/** A platform that answers with these, one after another. `null`: nobody answers. */
function sourceOf(...answers: (object | null)[]) {
  const [asked, notes]: [(string | null)[], string[]] = [[], []]
  const fetch = async (url: string | URL | Request) => {
    asked.push(new URL(new Request(url).url).searchParams.get('cursor'))
    const answer = answers.shift() ?? null
    if (answer === null) throw new TypeError('fetch failed')
    return Response.json(answer)
  }
  const given = { baseUrl: 'http://surehook.test', projectId: 'shop', token: 't', maxRetries: 0 }
  const { signal } = new AbortController()
  const note = (line: string) => notes.push(line)
  return {
    asked,
    notes,
    source: patientSource(new Surehook({ ...given, fetch }), { signal, note }),
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
})

it('does not wait for a platform that never answered', async () => {
  const { notes, source } = sourceOf(null)
  await expect(source.search({})[Symbol.asyncIterator]().next()).rejects.toThrow()
  expect(notes).toEqual([])
})
