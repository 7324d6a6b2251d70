import { isDeepStrictEqual } from 'node:util'
import { appliesTo, bindEntries } from '@surehook/access/users/row-grants'
import { type RuledUser, valuesOf } from '@surehook/access/users/rule-values'
import type { UserValuesOf } from '@surehook/access/users/user-values'
import type { ChangeEvent } from '@surehook/contracts/events'
import { testedFields } from '@surehook/contracts/filter/tested-fields'
import { usersTable } from '@surehook/contracts/http/data/reserved-tables'
import type { UserValues } from '@surehook/contracts/http/user-values'
import { AppError } from '@surehook/service-kit/errors'
import type { Fields, KnownTables, ReadableTable } from '../../tables/known-tables.ts'
import { StreamEnded } from '../answer/stream-ended.ts'
import { type Readable, type RecordView, recordView, shownFields } from './record-view.ts'

export type UserViewsDeps = {
  tables: Pick<KnownTables, 'healthy' | 'current' | 'readableOf'>
  users: UserValuesOf
}

type View = {
  /** The state of the table on which the view rests. */
  table: ReadableTable
  /** `null`: the user may not read the table. */
  readable: Readable | null
  of: RecordView
}

/** An unknown table may only be late. It is looked up again after this time. */
const unknownForMs = 1_000

/**
 * What one user may see of each table, for one stream. It ends when the rules change, or the values
 * of the user that they name.
 */
export class UserViews {
  readonly #deps: UserViewsDeps
  readonly #user: RuledUser
  readonly #views = new Map<string, View>()
  readonly #unknownUntil = new Map<string, number>()
  /** The values on which the views rest; `undefined` while no rule needs them. */
  #values: UserValues | null | undefined

  constructor(deps: UserViewsDeps, user: RuledUser) {
    this.#deps = deps
    this.#user = user
  }

  /** False once the rules of a table have changed, and while it is not known whether they have. */
  isCurrent(): boolean {
    const views = [...this.#views]
    return this.#deps.tables.healthy && views.every(([name, view]) => this.#isOf(name, view))
  }

  /**
   * Resolves with what the user sees of the table's changes, or with `null` if the user may not read
   * the table. Rejects with `StreamEnded` if the rules have changed since the stream began, or the
   * values of the user, as far as these are known to this process.
   */
  async of(name: string): Promise<RecordView | null> {
    const view = this.#views.get(name) ?? (await this.#find(name))
    if (view === null) return null
    if (this.#values !== undefined) await this.#currentValues()
    if (!this.#isOf(name, view)) throw new StreamEnded('access')
    return view.readable === null ? null : view.of
  }

  /**
   * Resolves with the fields of the table that the user sees in some record. Rejects with FORBIDDEN
   * for a table that the user may not read.
   */
  async fieldsOf(name: string): Promise<Fields> {
    const view = this.#views.get(name) ?? (await this.#find(name))
    if (!view?.readable) {
      throw new AppError('FORBIDDEN', `None of your roles may read the table "${name}"`)
    }
    const shown = shownFields(view.readable)
    return new Map([...view.table.fields].filter(([field]) => shown.has(field)))
  }

  /** Rejects with `StreamEnded` if the event is a change of the user, and the values changed. */
  async note({ table, recordId }: Pick<ChangeEvent, 'table' | 'recordId'>): Promise<void> {
    const { tenant, id } = this.#user
    if (this.#values === undefined || table !== usersTable || recordId !== id) return
    this.#deps.users.forget(tenant, id)
    await this.#currentValues()
  }

  async #currentValues(): Promise<UserValues | null> {
    const values = await this.#deps.users.of(this.#user.tenant, this.#user.id)
    if (this.#values !== undefined && !isDeepStrictEqual(values, this.#values)) {
      throw new StreamEnded('access')
    }
    this.#values = values
    return values
  }

  #isOf(name: string, { table }: View): boolean {
    return this.#tableOf(name) === table
  }

  #tableOf(name: string): ReadableTable | undefined {
    return this.#deps.tables.readableOf({ ...this.#user.tenant, table: name })
  }

  async #find(name: string): Promise<View | null> {
    const table = this.#tableOf(name) ?? (await this.#lateTable(name))
    if (table === undefined) return null
    const readable = await this.#readable(table)
    const of = readable === null ? () => null : recordView(readable)
    const view = { table, readable, of }
    this.#views.set(name, view)
    return view
  }

  async #lateTable(name: string): Promise<ReadableTable | undefined> {
    const now = performance.now()
    if (now < (this.#unknownUntil.get(name) ?? 0)) return undefined
    this.#unknownUntil.set(name, now + unknownForMs)
    await this.#deps.tables.current()
    return this.#tableOf(name)
  }

  async #readable({ entries, fields, createdAt }: ReadableTable): Promise<Readable | null> {
    const own = entries.filter((entry) => appliesTo(entry, this.#user.roles))
    if (own.length === 0) return null
    const valueOf = await valuesOf({ of: () => this.#currentValues() }, this.#user, own)
    const grants = bindEntries(own, { fields, valueOf }, ({ where }) => ({
      tests: testedFields(where ?? {}),
    }))
    return { fields: new Set(fields.keys()), grants, createdAt }
  }
}
