export type { AccessClaims } from './claims.ts'
