import { randomUUID } from 'node:crypto'
import type {
  DeliveryPolicyInput,
  Environment,
  Role,
  Subscription,
  TableInput,
} from '@surehook/client'
import { shownChatUrl } from '@surehook/contracts/http/admin/chat-urls'
import { defaultNotifySettings } from '@surehook/contracts/http/admin/notify-settings'
import { sourceOf } from '@surehook/contracts/http/data/table-source'
import { secretFingerprint } from '@surehook/matching/secret-fingerprint'
import type { State, Step, StoredTable } from '../../src/environment-file/plan/steps.ts'

const nobody: StoredTable['access'] = { read: [], create: [], update: [], delete: [] }

/**
 * An environment in memory, for tests of plans: it does what the API does, and refuses the same.
 */
export class ModelEnvironment {
  readonly #roles: Role[] = []
  readonly #tables = new Map<string, StoredTable>()
  readonly #subscriptions = new Map<string, Subscription>()
  #notify: Environment['notify'] = defaultNotifySettings
  #trustedIssuers: Environment['trustedIssuers'] = []
  #count = 0

  get state() {
    return {
      roles: [...this.#roles],
      tables: [...this.#tables.values()].map((table) => ({ ...table, hasRecords: false })),
      subscriptions: [...this.#subscriptions.values()],
      notify: this.#notify,
      trustedIssuers: this.#trustedIssuers,
    } satisfies State
  }

  run(steps: readonly Step[]): void {
    for (const step of steps) this.#runOne(step)
  }

  /** As if it had been created without a key, by an older version or by hand. */
  removeKey(index: number): void {
    const found = [...this.#subscriptions.values()][index]
    if (found !== undefined) delete found.key
  }

  #runOne(step: Step): void {
    if (step.kind === 'role') this.#createRole(step)
    else if (step.kind === 'notify') this.#changeNotify(step)
    else if (step.kind === 'trustedIssuers')
      this.#trustedIssuers = step.input as Environment['trustedIssuers']
    else if (step.kind === 'subscription') this.#changeSubscriptions(step)
    else if (step.action === 'delete') this.#tables.delete(step.name)
    else this.#putTable(step)
  }

  #createRole({ input }: Step & { kind: 'role' }): void {
    const { name, selfAssignable = false } = input
    if (this.#roles.some((role) => role.name === name)) throw new Error('409: the role exists')
    this.#roles.push({ id: randomUUID(), name, selfAssignable: selfAssignable ?? false })
  }

  #changeNotify({ input }: Step & { kind: 'notify' }): void {
    const { chats, ...others } = input
    const shown = chats?.map(({ url, kind }) => ({ url: shownChatUrl(url), kind: kind ?? 'slack' }))
    this.#notify = { ...this.#notify, ...(others as object), ...(shown && { chats: shown }) }
  }

  #putTable({ name, input }: Step & { kind: 'table'; action: 'create' | 'update' }): void {
    const source = sourceOf(input)
    const before = this.#tables.get(name)
    if (before && before.source?.name !== source?.name) throw new Error('409: delete it first')
    const stored =
      source === null
        ? { source, ...ownTable(input, before?.columns) }
        : { source, columns: before?.columns ?? [], access: nobody }
    this.#tables.set(name, { name, ...stored })
  }

  #changeSubscriptions(step: Step & { kind: 'subscription' }): void {
    if (step.action === 'delete') {
      if (!this.#subscriptions.delete(step.id)) throw new Error('404: no such subscription')
      return
    }
    const before = step.action === 'update' ? this.#existing(step.id) : this.#created()
    const { id } = before
    const { secret, policy, ...fields } = step.input
    const next = changed(before, fields)
    if (secret !== undefined) {
      const headers = before.fingerprints?.headers ?? {}
      const print = secretFingerprint(id, secret)
      next.fingerprints = { headers, ...(print !== undefined && { secret: print }) }
    }
    if (next.url !== before.url) mergePolicy(next, { headers: null })
    if (policy) mergePolicy(next, policy)
    if (next.key !== undefined && this.#hasKey(next.key, id)) throw new Error('409: the key')
    this.#subscriptions.set(id, next)
  }

  #existing(id: string): Subscription {
    const found = this.#subscriptions.get(id)
    if (found === undefined) throw new Error('404: no such subscription')
    return found
  }

  #created(): Subscription {
    this.#count += 1
    return newSubscription(randomUUID(), this.#count)
  }

  #hasKey(key: string, besides: string): boolean {
    return [...this.#subscriptions.values()].some((one) => one.key === key && one.id !== besides)
  }
}

const newSubscription = (id: string, number: number): Subscription => ({
  id,
  projectId: 'shop',
  environment: 'master',
  table: '',
  events: [],
  url: '',
  active: true,
  createdAt: new Date(Date.UTC(2026, 0, 1) + number).toISOString(),
})

/** An absent field stays, and `null` removes it. */
function changed(before: Subscription, fields: object): Subscription {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  const all = Object.entries({ ...before, ...Object.fromEntries(given) })
  return Object.fromEntries(all.filter(([, value]) => value !== null)) as Subscription
}

function mergePolicy(subscription: Subscription, { headers, ...rest }: DeliveryPolicyInput): void {
  const policy: Record<string, unknown> = { ...subscription.policy, ...rest }
  if (headers !== undefined) {
    const names = Object.keys(headers ?? {})
    policy['headerNames'] = names.length === 0 ? null : names
    const prints = names
      .map((name) => [name, secretFingerprint(subscription.id, headers?.[name] ?? '')])
      .filter(([, print]) => print !== undefined)
    subscription.fingerprints = {
      ...subscription.fingerprints,
      headers: Object.fromEntries(prints),
    }
  }
  const set = Object.entries(policy).filter(([, value]) => value !== null && value !== false)
  if (set.length === 0) delete subscription.policy
  else subscription.policy = Object.fromEntries(set)
}

function ownTable(
  input: TableInput,
  before: StoredTable['columns'] = [],
): Pick<StoredTable, 'columns' | 'access'> {
  const columns = (input.columns ?? []).map((column) => ({
    name: column.name,
    type: column.type,
    required: column.required ?? false,
    unique: column.unique ?? false,
    default: column.default ?? null,
  }))
  for (const column of before) {
    const kept = columns.find((one) => one.name === column.name)
    if (kept?.type !== column.type) throw new Error('400: data would be lost')
  }
  if (input.access === 'owner') throw new Error('a plan writes the preset out')
  const access = { ...nobody, ...input.access }
  return { columns, access }
}
