import type { ApiName } from '@surehook/contracts/openapi/openapi'
import type { FuzzTarget, IdsOf } from './fuzz-target.ts'

const tokensOf: Readonly<Record<ApiName, readonly (keyof FuzzTarget['tokens'])[]>> = {
  admin: ['admin'],
  auth: ['user'],
  data: ['management'],
  sources: ['management'],
  webhooks: ['management'],
}

/** Checks that every answer must pass. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'missing_required_header',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
]

/**
 * Builds the configuration of schemathesis in TOML (a JSON string is also a TOML string). It sets
 * credentials, the tenant of every request, and existing names that replace most invented ones.
 */
export function schemathesisConfig(api: ApiName, target: FuzzTarget): string {
  const { projectId, environment, table, source, ids, spare, email, tokens } = target
  const hasIds = api !== 'auth' && api !== 'sources'
  const idIn = (all: IdsOf) => (hasIds ? [all[api]] : [])
  const known = {
    table: [table],
    source: [source],
    id: idIn(ids),
    spare: idIn(spare.ids),
    delivery: [target.deliveryId],
    email: [email],
  }
  const dictionaries = Object.entries(known).filter(([, values]) => values.length > 0)
  const ifIds = (line: string) => (hasIds ? [line] : [])
  const lines = [
    ...tokensOf[api].map((name) => `auth.openapi.${name}.bearer = ${quote(tokens[name])}`),
    ...dictionaries.map(
      ([name, values]) => `dictionaries.${name}.values = [${values.map(quote).join(', ')}]`,
    ),
    'checks.enabled = false',
    ...checks.map((name) => `checks.${name}.enabled = true`),
    // Disabled authentication is reported before a missing credential.
    'checks.missing_required_header.expected-statuses = ["400", "401", "404"]',
    '[parameters]',
    ...['header.x-project-id', 'path.project'].map((name) => set(name, projectId)),
    ...['header.environment', 'path.environment'].map((name) => set(name, environment)),
    choose('path.table', 'table'),
    choose('path.source', 'source'),
    ...ifIds(choose('path.id', 'id')),
    choose('path.deliveryId', 'delivery'),
    choose('body.email', 'email'),
    choose('body.table', 'table'),
    // DELETE gets separate objects, because other operations need theirs.
    '[[operations]]',
    'include-method = "DELETE"',
    `parameters = { ${[set('path.table', spare.table), ...ifIds(choose('path.id', 'spare'))].join(', ')} }`,
  ]
  return `${lines.join('\n')}\n`
}

const set = (parameter: string, value: string) => `${quote(parameter)} = ${quote(value)}`

const choose = (parameter: string, dictionary: string) =>
  `${quote(parameter)} = { dictionary = ${quote(dictionary)}, probability = 0.9 }`

const quote = (text: string) => JSON.stringify(text)
