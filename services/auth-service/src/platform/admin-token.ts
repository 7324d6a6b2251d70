import { type AdminGate, adminGate as gateOf, tokenDigest } from '@surehook/access/admin-gate'

/** Checks `Authorization` against the administration tokens in constant time. */
export const adminGate = (adminTokens: readonly string[]): AdminGate =>
  gateOf(adminTokens.map(tokenDigest))
