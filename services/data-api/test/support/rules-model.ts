import type { AccessAction } from '@surehook/contracts/http/data/access'

/** The columns of the model's table. `code` is unique. */
export const modelColumns = ['owner', 'team', 'level', 'note', 'code'] as const
export type ModelColumn = (typeof modelColumns)[number]
export type Input = Partial<Record<ModelColumn, string | number | null>>
export type Row = Record<ModelColumn, string | number | null> & { id: string }
export type ModelUser = { id: string; roles: readonly string[] }

/** A condition of a rule, in the filter language and in plain words. */
export type Condition = { where: object; holds: (row: Row, user: ModelUser) => boolean }

export const conditions: readonly Condition[] = [
  { where: {}, holds: () => true },
  { where: { owner: '$user.id' }, holds: (row, user) => row.owner === user.id },
  { where: { not: { owner: '$user.id' } }, holds: (row, user) => row.owner !== user.id },
  {
    where: { team: { in: '$user.roles' } },
    holds: (row, user) => typeof row.team === 'string' && user.roles.includes(row.team),
  },
  { where: { level: { gte: 2 } }, holds: ({ level }) => typeof level === 'number' && level >= 2 },
  {
    where: { or: [{ team: 'red' }, { level: null }] },
    holds: ({ team, level }) => team === 'red' || level === null,
  },
]

export type ModelRule = {
  role: string
  condition: Condition
  columns: readonly ModelColumn[] | null
  set: Input
}
/** A role alone, or a rule. */
export type ModelEntry = string | ModelRule
export type ModelAccess = Record<AccessAction, readonly ModelEntry[]>

/** An answer as the model expects it. A refusal names its fields only for a conflict. */
export type ModelAnswer =
  | { status: 200 | 201; body: unknown }
  | { status: 400 | 403 | 404 }
  | { status: 409; named: boolean }

const refused = (status: 400 | 403 | 404): ModelAnswer => ({ status })

/** A table whose access has rules, as its documentation describes it. */
export class RulesModel {
  readonly rows = new Map<string, Row>()
  readonly #access: ModelAccess

  constructor(access: ModelAccess) {
    this.#access = access
  }

  /** The fields that the user sees of a record; `null` if the record is hidden. */
  view(row: Row, user: ModelUser): Partial<Row> | null {
    const rules = this.#rulesOf('read', user)
    if (rules === 'all') return row
    const holding = rules.filter(({ condition }) => condition.holds(row, user))
    if (holding.length === 0) return null
    const shown = modelColumns.filter((column) =>
      holding.some(({ columns }) => columns === null || columns.includes(column)),
    )
    return Object.fromEntries([['id', row.id], ...shown.map((column) => [column, row[column]])])
  }

  get(user: ModelUser, id: string): ModelAnswer {
    if (this.#isRefused('read', user)) return refused(403)
    const row = this.rows.get(id)
    const body = row === undefined ? null : this.view(row, user)
    return body === null ? refused(404) : { status: 200, body }
  }

  /** The records that the user sees, in the order of `id`, with a value of a field if given. */
  list(user: ModelUser, where: Input): ModelAnswer {
    if (this.#isRefused('read', user)) return refused(403)
    const rules = this.#rulesOf('read', user)
    const [column] = Object.keys(where) as ModelColumn[]
    const isHidden =
      column !== undefined &&
      rules !== 'all' &&
      rules.every(({ columns }) => columns !== null && !columns.includes(column))
    if (isHidden) return refused(400)
    const seen = [...this.rows.values()].flatMap((row) => this.view(row, user) ?? [])
    const body = seen
      .filter((row) => column === undefined || (row[column] ?? null) === where[column])
      .toSorted((a, b) => ((a.id ?? '') < (b.id ?? '') ? -1 : 1))
    return { status: 200, body }
  }

  /** `store` takes the records that the service made, in their order. */
  create(user: ModelUser, inputs: readonly Input[]): ModelAnswer | { made: Omit<Row, 'id'>[] } {
    if (this.#isRefused('create', user)) return refused(403)
    const rules = this.#rulesOf('create', user)
    const empty = { owner: null, team: null, level: null, note: null, code: null }
    const candidates = inputs.map((input) =>
      fittingRules(rules, input).map((rule) => ({
        rule,
        row: { ...empty, ...input, ...(rule === 'all' ? {} : rule.set), id: '' },
      })),
    )
    if (candidates.some((of) => of.length === 0)) return refused(400)
    const chosen = candidates.map((of) =>
      of.find(({ rule, row }) => rule === 'all' || rule.condition.holds(row, user)),
    )
    if (chosen.includes(undefined)) return refused(403)
    const made = chosen.flatMap((of) => (of === undefined ? [] : [of.row]))
    const conflict = this.#conflict(made, user, rules)
    return conflict ?? { made }
  }

  update(user: ModelUser, id: string, input: Input): ModelAnswer {
    if (this.#isRefused('update', user)) return refused(403)
    const rules = this.#rulesOf('update', user)
    const fitting = fittingRules(rules, input)
    if (fitting.length === 0) return refused(400)
    const old = this.rows.get(id)
    if (old === undefined || !isAdmitted(rules, old, user)) return refused(404)
    const next = fitting
      .map((rule) => ({ rule, row: { ...old, ...input, ...(rule === 'all' ? {} : rule.set) } }))
      .find(
        ({ rule, row }) =>
          rule === 'all' || (rule.condition.holds(old, user) && rule.condition.holds(row, user)),
      )
    if (next === undefined) return refused(403)
    const conflict = this.#conflict([next.row], user, rules)
    if (conflict !== null) return conflict
    this.rows.set(id, next.row)
    return { status: 200, body: this.view(next.row, user) ?? { id } }
  }

  delete(user: ModelUser, id: string): ModelAnswer {
    if (this.#isRefused('delete', user)) return refused(403)
    const rules = this.#rulesOf('delete', user)
    const row = this.rows.get(id)
    if (row === undefined || !isAdmitted(rules, row, user)) return refused(404)
    this.rows.delete(id)
    return { status: 200, body: this.view(row, user) ?? { id } }
  }

  /** A conflict with a record that the user does not see is not named to a user with rules. */
  #conflict(
    made: readonly Row[],
    user: ModelUser,
    rules: Rules,
  ): Extract<ModelAnswer, { status: 409 }> | null {
    const others = (row: Row) => [...this.rows.values()].filter(({ id }) => id !== row.id)
    const twins = made.flatMap((row, index) => {
      if (row.code === null) return []
      const before = made.slice(0, index)
      const isRepeated = before.some(({ code }) => code === row.code)
      const taken = others(row).filter(({ code }) => code === row.code)
      return [...(isRepeated ? ['inside'] : []), ...taken]
    })
    if (twins.length === 0) return null
    const isLimited = rules !== 'all' || this.#hasReadRules(user)
    const isNamed = (twin: string | Row) =>
      typeof twin === 'string' || this.view(twin, user)?.code !== undefined
    return { status: 409, named: !isLimited || twins.some(isNamed) }
  }

  #hasReadRules(user: ModelUser): boolean {
    const rules = this.#rulesOf('read', user)
    return rules !== 'all' && rules.length > 0
  }

  #entriesOf(action: AccessAction, { roles }: ModelUser): ModelEntry[] {
    return this.#access[action].filter((entry) => {
      const role = typeof entry === 'string' ? entry : entry.role
      return role === '*' || roles.includes(role)
    })
  }

  #isRefused(action: AccessAction, user: ModelUser): boolean {
    return this.#entriesOf(action, user).length === 0
  }

  #rulesOf(action: AccessAction, user: ModelUser): Rules {
    const entries = this.#entriesOf(action, user)
    const rules = entries.filter((entry) => typeof entry !== 'string')
    return rules.length === entries.length ? rules : 'all'
  }
}

type Rules = 'all' | ModelRule[]

const isAdmitted = (rules: Rules, row: Row, user: ModelUser): boolean =>
  rules === 'all' || rules.some(({ condition }) => condition.holds(row, user))

function fittingRules(rules: Rules, input: Input): ('all' | ModelRule)[] {
  if (rules === 'all') return ['all']
  const sent = Object.keys(input) as ModelColumn[]
  return rules.filter(({ columns, set }) =>
    sent.every((name) => !(name in set) && (columns === null || columns.includes(name))),
  )
}
