import { signedHeaders, signingKeys } from '@surehook/matching/signed-headers'

export const secret = 'a-signing-secret with ü'
export const encodedSecret = `whsec_${Buffer.from('another key').toString('base64')}`

export const payload = {
  id: 'event-1',
  timestamp: '2026-01-02T03:04:05.678Z',
  project_id: 'shop',
  environment: 'master',
  table: 'orders',
  event: 'UPDATE',
  record: { id: '1', note: 'ä 😀' },
  data: { id: '1', note: 'ä 😀' },
  changed_fields: ['note'],
}

type Signing = {
  /** The current secret first. */
  secrets?: readonly string[]
  body?: string | Buffer
  webhookId?: string
  ageS?: number
}

export type SignedRequest = { headers: Record<string, string>; body: Buffer }

/** A delivery as the dispatcher signs it. */
export function signedRequest({
  secrets = [secret],
  body = JSON.stringify(payload),
  webhookId = 'msg_1',
  ageS = 0,
}: Signing = {}): SignedRequest {
  const bytes = Buffer.from(body)
  const signable = { body: bytes, eventId: 'event-1', webhookId, operation: 'UPDATE' as const }
  const timestampS = Math.floor(Date.now() / 1000) - ageS
  return { headers: signedHeaders(signable, secrets.map(signingKeys), timestampS), body: bytes }
}
