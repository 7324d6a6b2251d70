import type { ResealedPage } from '@surehook/client'
import { adminCommand } from '../admin/admin-command.ts'
import { exitCodes } from '../cli/command.ts'

type Sum = Omit<ResealedPage, 'next'>

export const rotateKeyCommand = adminCommand({
  name: 'rotate-key',
  summary: 'Re-encrypt everything with the current KEY_ENCRYPTION_KEY',
  details: [
    'Run the command when every service has the new key in KEY_ENCRYPTION_KEY and the old key in',
    'KEY_ENCRYPTION_KEY_PREVIOUS: see docs/operate/security.md. The running services do the work, and no key leaves',
    'them. You may stop and repeat the command. It says when you may remove the old key.',
  ].join('\n'),
  options: {},
  async act({ admin: { installation }, request, note }) {
    const keys = await everyPage((query) => installation.reEncryptKeys(query, request))
    note('private keys and waiting mails: done')
    const secrets = await everyPage((query) => installation.reEncryptSecrets(query, request))
    const { previousKeysUntil, sessions } = keys.last
    const unreadable = keys.sum.unreadable + secrets.sum.unreadable
    if (unreadable > 0) {
      note(
        `${unreadable} are sealed under a key that no service has: list it in KEY_ENCRYPTION_KEY_PREVIOUS`,
      )
    }
    return {
      value: { keys: keys.sum, secrets: secrets.sum, previousKeysUntil, sessions },
      lines: [
        `private keys and mails: ${summary(keys.sum)}`,
        `secrets of webhooks: ${summary(secrets.sum)}`,
        whatIsLeft(previousKeysUntil, sessions),
      ],
      exitCode: unreadable > 0 ? exitCodes.wrong : exitCodes.ok,
    }
  },
})

async function everyPage<Page extends ResealedPage>(
  readPage: (query: { after?: string }) => Promise<Page>,
): Promise<{ sum: Sum; last: Page }> {
  const sum: Sum = { checked: 0, resealed: 0, unreadable: 0 }
  for (let query: { after?: string } = {}; ; ) {
    const page = await readPage(query)
    sum.checked += page.checked
    sum.resealed += page.resealed
    sum.unreadable += page.unreadable
    if (page.next === null) return { sum, last: page }
    query = { after: page.next }
  }
}

const summary = ({ checked, resealed, unreadable }: Sum): string =>
  `${checked} looked at, ${resealed} re-encrypted${unreadable > 0 ? `, ${unreadable} unreadable` : ''}`

function whatIsLeft(until: string | null, sessions: number): string {
  if (until === null)
    return 'nothing needs a previous key any more: take KEY_ENCRYPTION_KEY_PREVIOUS away'
  const who =
    sessions === 0 ? 'codes that were mailed' : `${sessions} sessions that were not renewed since`
  return `keep KEY_ENCRYPTION_KEY_PREVIOUS for ${who}: until ${until} at the latest, or run this again to look`
}
