import * as z from 'zod'

const perSecond = z.int().min(1).max(1_000_000)
const burst = z.int().min(1).max(10_000_000)

const fields = {
  perSecond: perSecond.describe('Points per second of the environment'),
  burst: burst.describe('Points that the environment may spend at once. Default: 10 s of points'),
  perTokenPerSecond: perSecond.describe(
    'Points per second of each management token and of each user',
  ),
}

const ApiLimits = z.object({
  perSecond: fields.perSecond.nullable(),
  burst: fields.burst.nullable(),
  perTokenPerSecond: fields.perTokenPerSecond.nullable(),
})
export type ApiLimits = z.infer<typeof ApiLimits>

export const LimitSettings = z
  .object({
    data: ApiLimits.describe('Limits of the data API. null: the default of the installation'),
    webhooks: ApiLimits.describe(
      'Limits of the webhook API. null: the default of the installation',
    ),
  })
  .meta({ id: 'LimitSettings' })
export type LimitSettings = z.infer<typeof LimitSettings>

const none: ApiLimits = { perSecond: null, burst: null, perTokenPerSecond: null }

export const noLimitSettings: LimitSettings = { data: none, webhooks: none }

const changed = <T extends z.ZodType>(schema: T) => schema.nullable().optional()

const apiLimitsChange = (api: string) =>
  changed(
    z.strictObject({
      perSecond: changed(fields.perSecond),
      burst: changed(fields.burst),
      perTokenPerSecond: changed(fields.perTokenPerSecond),
    }),
  ).describe(`Limits of the ${api} API`)

export const LimitSettingsChange = z
  .strictObject({ data: apiLimitsChange('data'), webhooks: apiLimitsChange('webhook') })
  .meta({ id: 'LimitSettingsChange' })
export type LimitSettingsChange = z.infer<typeof LimitSettingsChange>
