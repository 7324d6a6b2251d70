import * as z from 'zod'

/** Limit on invalid access tokens per client, for every service that verifies tokens. */
export const userTokenEnv = {
  AUTH_FAILED_TOKENS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).default(100),
}
