import * as z from 'zod'
import { defineOperation } from '../../operation.ts'

const number = z.int().min(0)

const page = {
  checked: number.describe('Entries that this call read'),
  resealed: number.describe('Entries that this call encrypted again'),
  unreadable: number.describe('Entries whose key is not configured. They stay as they are'),
  next: z.string().nullable().describe('Pass it as `after`. null: that was the last page'),
}

const query = z.strictObject({
  after: z.string().max(300).optional().describe('`next` of the call before'),
})

export const ResealedPage = z.object(page).meta({ id: 'ResealedPage' })
export type ResealedPage = z.infer<typeof ResealedPage>

const errors = [
  'VALIDATION_ERROR',
  'ADMIN_TOKEN_INVALID',
  'FORBIDDEN',
  'SERVICE_UNAVAILABLE',
] as const

export const reEncryptKeys = defineOperation({
  tag: 'administration',
  security: 'admin',
  id: 'resealKeys',
  method: 'post',
  path: '/auth/admin/reseal',
  summary: 'Re-encrypt keys and mailed codes',
  description:
    'Encrypts private keys and unsent codes again if a previous `KEY_ENCRYPTION_KEY` ' +
    'encrypted them. Each call handles one page: pass `next` as `after` until `next` is null. ' +
    'The command `surehook rotate-key` makes these calls.',
  query,
  reply: {
    status: 200,
    schema: ResealedPage.extend({
      previousKeysUntil: z.iso
        .datetime()
        .nullable()
        .describe(
          'On the last page: when the last token or code of a previous key ends. null: there is none',
        ),
      sessions: number.describe(
        'On the last page: sessions whose refresh token a previous key may have made',
      ),
    }),
  },
  errors: [...errors, 'MANAGEMENT_TOKEN_INVALID'],
})

export const reEncryptSecrets = defineOperation({
  tag: 'webhooks',
  security: 'admin',
  id: 'resealSecrets',
  method: 'post',
  path: '/api/rest/_webhooks/_reseal',
  summary: 'Re-encrypt signing secrets',
  description:
    'Encrypts signing secrets again if a previous `KEY_ENCRYPTION_KEY` encrypted them. The ' +
    'answer comes when every dispatcher can read the new form. Each call handles one page: ' +
    'pass `next` as `after` until `next` is null. The command `surehook rotate-key` makes ' +
    'these calls.',
  query,
  reply: { status: 200, schema: ResealedPage },
  errors,
})
