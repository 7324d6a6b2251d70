import * as z from 'zod'

/** Compares the secrets of a subscription with known ones. */
export const Fingerprints = z
  .object({
    secret: z.string().optional().describe('Hash of the current secret. Absent if unreadable'),
    headers: z
      .record(z.string(), z.string())
      .describe("Hashes of the values of the policy's headers, by name"),
  })
  .meta({
    id: 'Fingerprints',
    description:
      'Each hash is the first 16 bytes, in base64url, of HMAC-SHA-256 of a secret value. The key ' +
      'is `surehook fingerprint ` and the id of the subscription',
  })
export type Fingerprints = z.infer<typeof Fingerprints>
