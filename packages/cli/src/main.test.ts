import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from '@jest/globals'

it('ends without a stack trace when the reader of its output has ended', async () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=source', main, '--help'])
  child.stdout.destroy()
  const notes = text(child.stderr)
  const [code] = await once(child, 'close')
  expect({ code, notes: await notes }).toEqual({ code: 0, notes: '' })
})
