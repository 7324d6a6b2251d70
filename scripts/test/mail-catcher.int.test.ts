import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type MailCatcher, startMailCatcher } from '../src/mail/mail-catcher.ts'

let dir: string
let catcher: MailCatcher
const shown: string[] = []

beforeEach(async () => {
  dir = await mkdtemp(`${tmpdir()}/mail-`)
  catcher = await startMailCatcher({ dir: `${dir}/mail`, show: (line) => shown.push(line) })
})
afterEach(async () => {
  await catcher.stop()
  await rm(dir, { recursive: true, force: true })
})

const message = [
  'From: "The Shop" <shop@example.com>',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  '',
  'Your code is 012345.',
  '.',
].join('\r\n')

/** Sends a mail like a mail program: each step waits for the answer to the one before. */
async function send(to: string): Promise<void> {
  const socket = connect(catcher.port, '127.0.0.1')
  const answers = createInterface(socket)[Symbol.asyncIterator]()
  await answers.next()
  for (const step of [
    'HELO test',
    'MAIL FROM:<shop@example.com>',
    `RCPT TO:<${to}>`,
    'DATA',
    message,
    'QUIT',
  ]) {
    socket.write(`${step}\r\n`)
    const { value } = await answers.next()
    expect([step, String(value)]).toEqual([step, expect.stringMatching(/^[23]/)])
  }
  socket.destroy()
}

describe('the mail catcher', () => {
  it('keeps each mail in a file for its owner alone, shows it in one line and remembers it', async () => {
    await send('a/b@example.com')
    const mail = await catcher.waitFor('a/b@example.com')
    expect(mail).toMatchObject({
      from: { name: 'The Shop', address: 'shop@example.com' },
      subject: 'Grüße',
      code: '012345',
    })
    expect(shown).toEqual(['mail to a/b@example.com: Grüße: 012345'])
    const files = await readdir(`${dir}/mail`)
    expect(files).toEqual([expect.stringMatching(/^[\dTZ-]+-a_b@example\.com-[0-9a-f]{4}\.eml$/)])
    const file = `${dir}/mail/${files[0]}`
    expect(await readFile(file, 'utf8')).toContain('Your code is 012345.')
    expect((await stat(file)).mode & 0o077).toBe(0)
  })
})
