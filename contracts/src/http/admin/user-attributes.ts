import * as z from 'zod'
import { isRounded, numberFault, roundedFault } from '../../json/exact-json.ts'
import { isJsonObject, type JsonObject } from '../../json/json-object.ts'
import { ruled, type ViolationRule } from '../../violation-rules.ts'

type Scalar = string | number | boolean

/** What the owner of a project says of a user. Row rules of tables compare records with it. */
export type UserAttributes = Record<string, Scalar | Scalar[]>

const nameForm = /^[a-z][A-Za-z0-9_]{0,62}$/
/** Row rules have these names for the user's own fields: `$user.id`. */
const reservedNames: ReadonlySet<string> = new Set(['id', 'email', 'roles'])
const maxElements = 100
const maxBytes = 2_048

const scalars = (['string', 'number', 'boolean'] as const).map((type) => ({ type }))
const list = { type: 'array' as const, maxItems: maxElements, items: { anyOf: scalars } }
const attributesJson = {
  type: 'object' as const,
  additionalProperties: { anyOf: [...scalars, list] },
}

/** The attributes in an answer. */
export const UserAttributes = z
  .custom<UserAttributes>(isJsonObject)
  .meta({ override: attributesJson })
  .describe('What the owner of the project says of the user')

/** The attributes in a request. */
export const UserAttributesInput = z
  .custom<UserAttributes>(isJsonObject, ruled('must be an object', 'invalid_type'))
  .meta({ override: attributesJson })
  .superRefine((attributes, context) => {
    for (const { path, message, rule } of attributeFaults(attributes)) {
      context.addIssue({ code: 'custom', path, message, params: { rule } })
    }
  })
  .describe(
    `Strings, numbers, booleans, or lists of at most ${maxElements} of them, by name. A name ` +
      `matches \`${nameForm.source}\` and is not \`id\`, \`email\` or \`roles\`. At most ` +
      `${maxBytes} bytes of JSON. Replaces all attributes`,
  )

type Fault = { message: string; rule: ViolationRule }
type FaultAt = Fault & { path: string[] }

function attributeFaults(attributes: JsonObject): FaultAt[] {
  // Alone: the other faults of a large body would be many.
  if (Buffer.byteLength(JSON.stringify(attributes)) > maxBytes) {
    return [{ path: [], message: `must have at most ${maxBytes} bytes of JSON`, rule: 'too_long' }]
  }
  return Object.entries(attributes).flatMap(([name, value]) => [
    ...nameFaults(name),
    ...(Array.isArray(value) ? listFaults(name, value) : scalarFaults(attributes, name, value)),
  ])
}

function nameFaults(name: string): FaultAt[] {
  if (nameForm.test(name) && !reservedNames.has(name)) return []
  const message = reservedNames.has(name) ? 'is a reserved name' : `must match ${nameForm.source}`
  return [{ path: [name], message, rule: 'invalid_name' }]
}

function listFaults(name: string, values: readonly unknown[]): FaultAt[] {
  if (values.length > maxElements) {
    const message = `must have at most ${maxElements} elements`
    return [{ path: [name], message, rule: 'too_many' }]
  }
  const faults = values.flatMap((value, index) => scalarFaults(values, String(index), value))
  return faults.map(({ path, ...fault }) => ({ ...fault, path: [name, ...path] }))
}

/** `holder` is the object or list that has the value: it tells whether a number was rounded. */
function scalarFaults(holder: object, key: string, value: unknown): FaultAt[] {
  const fault = typeof value === 'number' ? numberRule(holder, key, value) : textRule(value)
  return fault === null ? [] : [{ path: [key], ...fault }]
}

function numberRule(holder: object, key: string, value: number): Fault | null {
  const message = numberFault(value)?.fault ?? (isRounded(holder, key) ? roundedFault : null)
  return message === null ? null : { message, rule: 'invalid_value' }
}

function textRule(value: unknown): Fault | null {
  if (typeof value === 'boolean') return null
  if (typeof value !== 'string') {
    const message = 'must be a string, a number, true, false, or a list of them'
    return { message, rule: 'invalid_type' }
  }
  const isText = value.isWellFormed() && !value.includes('\0')
  return isText ? null : { message: 'must be valid text', rule: 'invalid_text' }
}
