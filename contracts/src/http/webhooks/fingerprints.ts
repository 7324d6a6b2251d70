import * as z from 'zod'

/** Compares the secrets of a subscription with known ones. */
export const Fingerprints = z
  .object({
    secret: z.string().optional().describe('Hash of the current secret, if it has one'),
    headers: z.record(z.string(), z.string()).describe('Hashes of the own headers, by name'),
  })
  .meta({
    id: 'Fingerprints',
    description:
      'Each hash is the first 16 bytes, in base64url, of HMAC-SHA-256 of a secret value. The key ' +
      'is `surehook fingerprint ` and the id of the subscription. An unreadable secret has none, nor ' +
      'one under 24 characters, without `whsec_` or the scheme of credentials: it could be guessed',
  })
export type Fingerprints = z.infer<typeof Fingerprints>
