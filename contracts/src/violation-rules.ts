import * as z from 'zod'

/**
 * The codes of `violations[].rule` and their meanings. A code never changes its meaning; new codes
 * may come. A test compares the list with docs/reference/violations.md.
 */
export const requestRules = {
  required: 'The field is missing',
  unrecognized: 'The operation has no such field',
  invalid_type: 'The value has another type',
  invalid_value: 'The value is not one of the accepted values',
  invalid_format: 'The text has another form, such as that of a URL or a date',
  invalid_text: 'The text has characters that are not accepted',
  invalid_name: 'The name of a field is not accepted',
  invalid_json: 'The body is not JSON',
  invalid_query: 'GraphQL does not accept the document',
  invalid_cursor: 'The cursor is not from an earlier answer',
  too_short: 'The text has too few characters',
  too_long: 'The text has too many characters',
  too_few: 'The list has too few elements',
  too_many: 'The list has too many elements',
  too_small: 'The number is too small',
  too_large: 'The number is too large',
  too_complex: 'The request is nested too deep, or asks for too much at once',
  not_multiple_of: 'The number is not a multiple of the step',
  repeated: 'The value or the header appears twice',
  already_used: 'The key was used for another request',
} as const

/** Codes that only auth-service uses. */
export const accountRules = {
  contains_email: 'The password is the e-mail address or a part of it',
  common: 'The password is a common one',
  too_guessable: 'The password has a lower score than `password.minScore`',
  breached: 'The password is known from a data breach',
  role_not_assignable: 'Users may not give themselves the role',
  unknown_role: 'The environment has no such role',
  unknown_environment: 'The project has no such environment',
  not_in_future: 'The time is not in the future',
  email_taken: 'The e-mail address is registered already',
  unsupported_hash:
    'The password hash has another form, or other parameters, than the accepted ones',
} as const

/** Codes that only data-api and webhook-api use. */
export const dataRules = {
  unknown_field: 'The table has no such field, or the operation does not accept it',
  read_only: 'The platform sets the field; nobody writes it',
  not_null: 'The column requires a value',
  unfit_value: 'The value does not fit the type of its column',
  not_unique: 'Another record has the value',
  data_loss: 'The change would lose data, or existing records would not fit it',
  default_missing: 'A new required column of a table with records needs a default',
  unsupported: 'The column cannot have the property',
  invalid_filter: 'The filter has an operator, an operand or a form that is not accepted there',
  out_of_range: 'The time lies outside the kept log, in the future, or not after the start',
  not_on_ladder: 'The installation has no such delay',
  mismatch: 'The value differs from that of the header or of another field',
  table_owned: 'The data API owns the table and publishes its changes itself',
  not_allowed: 'No rule of the caller admits a record with these values',
  not_together: 'The field may not stand beside another one of the request',
} as const

const rules = { ...requestRules, ...accountRules, ...dataRules }
export type ViolationRule = keyof typeof rules

const known: ReadonlySet<unknown> = new Set(Object.keys(rules))
export const isViolationRule = (value: unknown): value is ViolationRule => known.has(value)

/** Clients see any text: an old client must accept codes that are newer than itself. */
export const RuleCode = z.string() as unknown as z.ZodType<ViolationRule, ViolationRule>

/** Parameters for zod's `refine`: the message and the code of a rule that zod does not know. */
export const ruled = (error: string, rule: ViolationRule) => ({ error, params: { rule } })
