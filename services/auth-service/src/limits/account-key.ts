import { createHash } from 'node:crypto'

type Place = { readonly projectId: string; readonly environment: string }

/** Part of a Redis key: of one length, and no address of a person can be read in it. */
export function keyOf({ projectId, environment }: Place, subject: string): string {
  return createHash('sha256').update(`${projectId}\0${environment}\0${subject}`).digest('base64url')
}
