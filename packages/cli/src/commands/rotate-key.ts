import {
  type ResealedPage,
  reEncryptKeys,
  reEncryptSecrets,
} from '@surehook/contracts/http/admin/re-encryption'
import { callOperation } from '../admin/call-operation.ts'
import { defineCommand, exitCodes, Failure } from '../cli/command.ts'
import { findPlatform, platformOptions, platformVariables } from '../lib/platform-client.ts'

type Sum = Omit<ResealedPage, 'next'>

export const rotateKeyCommand = defineCommand({
  name: 'rotate-key',
  summary: 'Re-encrypt everything with the current KEY_ENCRYPTION_KEY',
  details: [
    'Run the command when every service has the new key in KEY_ENCRYPTION_KEY and the old key in',
    'KEY_ENCRYPTION_KEY_PREVIOUS: see docs/operate/security.md. The running services do the work, and no key leaves',
    'them. You may stop and repeat the command. It says when you may remove the old key.',
  ].join('\n'),
  options: platformOptions,
  variables: platformVariables,
  async run({ values, env, json, out, note, signal }) {
    const platform = findPlatform(values, env)
    const keys = await everyPage(
      (after) => callOperation(platform, reEncryptKeys, { query: { after } }),
      signal,
    )
    note('private keys and waiting mails: done')
    const webhooks = { ...platform, baseUrl: `${platform.baseUrl}/gw` }
    const secrets = await everyPage(
      (after) => callOperation(webhooks, reEncryptSecrets, { query: { after } }),
      signal,
    )
    const { previousKeysUntil, sessions } = keys.last
    const unreadable = keys.sum.unreadable + secrets.sum.unreadable
    if (json)
      out(
        JSON.stringify(
          { keys: keys.sum, secrets: secrets.sum, previousKeysUntil, sessions },
          null,
          2,
        ),
      )
    else {
      out(`private keys and mails: ${summary(keys.sum)}`)
      out(`secrets of webhooks: ${summary(secrets.sum)}`)
      out(whatIsLeft(previousKeysUntil, sessions))
    }
    if (unreadable > 0) {
      throw new Failure(
        `${unreadable} are sealed under a key that no service has: list it in KEY_ENCRYPTION_KEY_PREVIOUS`,
      )
    }
    return exitCodes.ok
  },
})

async function everyPage<Page extends ResealedPage>(
  ask: (after: string | undefined) => Promise<Page>,
  signal: AbortSignal,
): Promise<{ sum: Sum; last: Page }> {
  const sum: Sum = { checked: 0, resealed: 0, unreadable: 0 }
  for (let after: string | undefined; ; ) {
    signal.throwIfAborted()
    const page = await ask(after)
    sum.checked += page.checked
    sum.resealed += page.resealed
    sum.unreadable += page.unreadable
    if (page.next === null) return { sum, last: page }
    after = page.next
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
