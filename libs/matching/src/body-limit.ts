import * as z from 'zod'

/** Limit for every service that builds delivery bodies. */
export const maxBodyEnv = {
  // The topic's limit is 2 MiB. The rest of a job must fit as well.
  WEBHOOK_MAX_BODY: z.coerce.number().int().min(1024).max(1_900_000).default(1_048_576),
}
