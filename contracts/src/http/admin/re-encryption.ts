import * as z from 'zod'
import { defineOperation } from '../../operation.ts'

const number = z.int().min(0)

const page = {
  checked: number.describe('What this call has looked at'),
  resealed: number.describe('Sealed anew, under the current key'),
  unreadable: number.describe('Sealed under a key that is not configured: left as it is'),
  next: z.string().nullable().describe('For the next call as `after`; null: that was all'),
}

const query = z.strictObject({
  after: z.string().max(300).optional().describe('`next` of the call before'),
})

export const ResealedPage = z.object(page).meta({ id: 'ResealedPage' })
export type ResealedPage = z.infer<typeof ResealedPage>

const errors = ['VALIDATION_ERROR', 'ADMIN_TOKEN_INVALID', 'SERVICE_UNAVAILABLE'] as const

export const reEncryptKeys = defineOperation({
  tag: 'administration',
  security: 'admin',
  id: 'resealKeys',
  method: 'post',
  path: '/auth/admin/reseal',
  summary:
    'Seals the private keys of environments and the codes of waiting mails anew, a page at a time, where they are ' +
    'sealed under a previous KEY_ENCRYPTION_KEY',
  query,
  reply: {
    status: 200,
    schema: ResealedPage.extend({
      previousKeysUntil: z.iso
        .datetime()
        .nullable()
        .describe(
          'On the last page: what clients hold that may have been made under a previous key counts until then at the ' +
            'latest; null: nothing does',
        ),
      sessions: number.describe(
        'On the last page: sessions whose refresh token may be one of those',
      ),
    }),
  },
  errors,
})

export const reEncryptSecrets = defineOperation({
  tag: 'webhooks',
  security: 'admin',
  id: 'resealSecrets',
  method: 'post',
  path: '/api/rest/_webhooks/_reseal',
  summary:
    'Seals the secrets of webhooks anew, a page at a time, where they are sealed under a previous KEY_ENCRYPTION_KEY; ' +
    'answers when every dispatcher can know',
  query,
  reply: { status: 200, schema: ResealedPage },
  errors,
})
