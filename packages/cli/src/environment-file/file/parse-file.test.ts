import { expect, it } from '@jest/globals'
import { Failure } from '../../cli/command.ts'
import { parseFile } from './parse-file.ts'
import { wishesOf } from './wishes.ts'

const faultsOf = (text: string, env: NodeJS.ProcessEnv = {}): string[] => {
  try {
    wishesOf(parseFile(text, 'surehook.yaml'), env)
  } catch (err) {
    if (err instanceof Failure) return err.message.split('\n')
    throw err
  }
  throw new Error('the file is valid')
}

const subscription = (...lines: string[]) =>
  ['version: 2', 'subscriptions:', '  - table: orders', ...lines.map((line) => `    ${line}`)].join(
    '\n',
  )
const valid = ['events: [INSERT]', 'url: https://receiver.example/hook', 'secret: ${S}']

it('reads every field', () => {
  const text = [
    'version: 2',
    'roles: { clerk: , guest: { selfAssignable: true } }',
    'tables:',
    '  orders:',
    '    columns: { total: { type: decimal, required: true }, status: { type: text, default: new } }',
    '    access: { read: [clerk] }',
    'subscriptions:',
    '  - key: billing',
    '    name: Billing of ACME',
    '    description: |',
    '      For accounting.',
    '      Ask Ann.',
    '    table: orders',
    '    events: [INSERT, UPDATE]',
    '    url: https://receiver.example/hook',
    '    secret: ${S}',
    '    active: false',
    '    filter: { status: paid }',
    '    select: [id]',
    '    policy: { retryDelays: extended, headers: { Authorization: "Bearer ${T}", X-A: plain } }',
  ].join('\n')
  const { roles, subscriptions } = wishesOf(parseFile(text, 'f'), { S: 'first', T: 'second' })
  expect(roles).toEqual({
    clerk: { selfAssignable: false },
    guest: { selfAssignable: true },
  })
  expect(subscriptions).toMatchObject([
    {
      key: 'billing',
      name: 'Billing of ACME',
      description: 'For accounting.\nAsk Ann.',
      secret: 'first',
      active: false,
      policy: { headers: { Authorization: 'Bearer second', 'X-A': 'plain' }, retryAfter: false },
    },
  ])
})

it.each<[string, string, RegExp[]]>([
  [
    'an unknown field',
    'version: 2\ntable:\n  orders: {}',
    [/^surehook.yaml:2: table: is no field/],
  ],
  ['another version', '\nversion: 3', [/^surehook.yaml:2: version: /]],
  [
    'the version before',
    'version: 1\nsubscriptions: []',
    [/^surehook.yaml:1: version: must be 2. Write `version: 2`, and `key` in place of the `name`/],
  ],
  ['no version', 'tables: {}', [/^surehook.yaml:1: version: /]],
  [
    'a wrong type of a column',
    'version: 2\ntables:\n  orders:\n    columns:\n      a: { type: text }\n      b: { type: money }',
    [/^surehook.yaml:6: tables.orders.columns.b.type: /],
  ],
  [
    'a reserved name',
    'version: 2\ntables:\n  users:\n    columns: {}',
    [/^surehook.yaml:3: tables.users: is a reserved name/],
  ],
  [
    'a rule of an access',
    'version: 2\ntables:\n  orders:\n    columns: {}\n    access:\n      read:\n        - clerk\n        - role: "*"\n          were: {}\n          columns: total',
    [
      /^surehook.yaml:10: tables.orders.access.read\[1\].columns: /,
      /^surehook.yaml:9: tables.orders.access.read\[1\].were: is no field/,
    ],
  ],
  ['bad YAML', 'version: 2\ntables: [', [/^surehook.yaml:2: /]],
  ['the same key twice', 'version: 2\nversion: 2', [/^surehook.yaml:2: .*unique/]],
  [
    'several faults at once',
    subscription('events: [INSERT, CLICK]', 'url: http://a', 'secret: plain', 'extra: 1'),
    [
      /^surehook.yaml:4: subscriptions\[0\].events\[1\]: /,
      /^surehook.yaml:5: subscriptions\[0\].url: must use https/,
      /^surehook.yaml:6: subscriptions\[0\].secret: must be a variable/,
      /^surehook.yaml:7: subscriptions\[0\].extra: is no field/,
    ],
  ],
  [
    'a variable without a valid name',
    subscription('events: [INSERT]', 'url: https://a.example/${a-b}', 'secret: ${S}'),
    [/^surehook.yaml:5: subscriptions\[0\].url: has a \$\{ that begins no variable: write \$\$\{/],
  ],
  [
    'a filter that is not valid',
    subscription(...valid, 'filter:', '  total: { near: 1 }'),
    [/^surehook.yaml:8: subscriptions\[0\].filter.total.near: /],
  ],
])('names the file, the line and the field of %s', (_, text, expected) => {
  const faults = faultsOf(text, { S: 'set' })
  expect(faults).toEqual(expected.map((fault) => expect.stringMatching(fault)))
})

it('names each missing variable: an empty one counts as missing', () => {
  const text = subscription(...valid, 'policy:', '  headers:', '    X-A: Bearer ${T} ${U}')
  expect(faultsOf(text, { T: '', U: 'set' })).toEqual([
    'surehook.yaml:6: subscriptions[0].secret: the variable S is not set',
    'surehook.yaml:9: subscriptions[0].policy.headers.X-A: the variable T is not set',
  ])
})

it('fills in the variables of a URL, and checks the whole without showing it', () => {
  const text = subscription(
    'events: [INSERT]',
    'url: https://${HOST}/hook/${PATH_2}',
    'secret: ${S}',
  )
  const filled = wishesOf(parseFile(text, 'f'), { S: 's', HOST: 'eu.example', PATH_2: 'a' })
  expect(filled.subscriptions).toMatchObject([{ url: 'https://eu.example/hook/a' }])
  const faults = faultsOf(text, { S: 's', HOST: 'user:word@eu.example', PATH_2: 'a' })
  expect(faults).toEqual(['surehook.yaml:5: subscriptions[0].url: must not contain credentials'])
})

it('takes $${ as the text ${', () => {
  const url = 'url: https://receiver.example/$${HOST}/${PATH_2}'
  const text = subscription('events: [INSERT]', url, 'secret: ${S}')
  const filled = wishesOf(parseFile(text, 'f'), { S: 's', PATH_2: 'a' })
  expect(filled.subscriptions).toMatchObject([{ url: 'https://receiver.example/${HOST}/a' }])
})

it('names missing variables and faults of filled-in texts together', () => {
  const entry = (url: string, header: string) => [
    ...['  - table: orders', '    events: [INSERT]', `    url: ${url}`],
    `    policy: { headers: { X-A: "${header}" } }`,
  ]
  const text = [
    ...['version: 2', 'subscriptions:'],
    ...entry('https://${HOST}/hook', '${MISSING}'),
    ...entry('https://${MISSING}/hook', '${LINES}'),
  ].join('\n')
  expect(faultsOf(text, { HOST: 'user:word@eu.example', LINES: 'two\nlines' })).toEqual([
    'surehook.yaml:6: subscriptions[0].policy.headers.X-A: the variable MISSING is not set',
    'surehook.yaml:5: subscriptions[0].url: must not contain credentials',
    'surehook.yaml:9: subscriptions[1].url: the variable MISSING is not set',
    expect.stringMatching(/^surehook.yaml:10: subscriptions\[1\].policy.headers.X-A: must be/),
  ])
})

it('does not show a value that is no valid header', () => {
  const text = subscription(...valid, 'policy:', '  headers: { X-A: "${T}" }')
  const faults = faultsOf(text, { S: 's', T: 'two\nlines' })
  expect(faults).toEqual([
    expect.stringMatching(
      /^surehook.yaml:8: subscriptions\[0\].policy.headers.X-A: must be printable/,
    ),
  ])
  expect(faults.join()).not.toContain('lines')
})

it('refuses a key that is there twice', () => {
  const entry = ['  - key: billing', '    table: orders', ...valid.map((line) => `    ${line}`)]
  const text = ['version: 2', 'subscriptions:', ...entry, ...entry].join('\n')
  expect(faultsOf(text, { S: 's' })).toEqual([
    'surehook.yaml:8: subscriptions[1].key: each key once',
  ])
})
