import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from '@jest/globals'
import { ask } from './ask.ts'

/** Asks a user who types `typed`. Resolves with the answer and with what the terminal shows. */
async function asked(typed: string, hidden: boolean) {
  const input = new PassThrough()
  const visible = new PassThrough()
  const asking = ask(input, 'Token: ', { hidden, signal: new AbortController().signal, visible })
  input.write(typed)
  const answer = await asking
  visible.end()
  return { answer, shown: await text(visible) }
}

it('shows the question and the answer', async () => {
  const { answer, shown } = await asked(' shop \n', false)
  expect(answer).toBe('shop')
  expect(shown).toMatch(/Token: .*shop/s)
})

it('does not show a hidden answer', async () => {
  const { answer, shown } = await asked('mt_secret\n', true)
  expect(answer).toBe('mt_secret')
  expect(shown).toBe('Token: \n')
})
