import { endpointId } from '@surehook/contracts/ids'
import { IdTable } from '@surehook/service-kit/id-table'
import { NewestEntries } from '@surehook/service-kit/newest-entries'
import { type Subscription, tenantOf } from '../subscription.ts'
import { PackedTexts } from './packed-texts.ts'
import { PositionPrefixes } from './position-prefixes.ts'
import type { WatchedTables } from './watched-tables.ts'

const separator = '\0'
const digits = 36
const fieldsOfVersion = 7

/**
 * The URL, or '' for that of the version before, the number of the place, events, selection, filter,
 * and the positions of beginning and end.
 */
type PackedVersion = [string, string, string, string, string, string, string]

/**
 * The versions of each subscription, packed into 100 to 300 bytes outside the heap. Those that were
 * used last are also unpacked.
 */
export class PackedSubscriptions {
  readonly #places: Pick<WatchedTables, 'find' | 'at'>
  readonly #ids = new IdTable()
  readonly #texts = new PackedTexts()
  readonly #prefixes = new PositionPrefixes()
  readonly #newest: NewestEntries<number, readonly Subscription[]>
  #unpacked = 0

  /**
   * @param places must have the places of all versions
   * @param newest the least number of subscriptions that stay unpacked
   */
  constructor(places: Pick<WatchedTables, 'find' | 'at'>, newest: number) {
    this.#places = places
    this.#newest = new NewestEntries(newest)
  }

  get unpacked(): number {
    return this.#unpacked
  }

  get bytes(): number {
    return this.#texts.bytes
  }

  /** Returns `undefined` for an unknown subscription, and an empty list if no version is active. */
  get(id: string): readonly Subscription[] | undefined {
    const row = this.find(id)
    return row < 0 ? undefined : this.at(row)
  }

  at(row: number): readonly Subscription[] {
    const known = this.#newest.get(row)
    if (known !== undefined) return known
    const unpacked = this.#unpack(this.#texts.get(row) ?? '')
    this.#unpacked++
    this.#newest.offer(row, unpacked)
    return unpacked
  }

  /** Returns the row of the subscription, or -1. */
  find(id: string): number {
    return this.#ids.find(id)
  }

  /** Returns the row of the subscription, which may be new. */
  rowOf(id: string): number {
    return this.#ids.add(id)
  }

  set(row: number, id: string, versions: readonly Subscription[]): void {
    this.#texts.set(row, this.#pack(id, versions))
    this.#newest.set(row, versions)
  }

  delete(id: string): void {
    const row = this.#ids.delete(id)
    if (row < 0) return
    this.#texts.delete(row)
    this.#newest.delete(row)
  }

  #pack(id: string, versions: readonly Subscription[]): string {
    const fields = [id]
    let last = ''
    for (const { url, place, operations, selectKey, filter, from, until } of versions) {
      const number = this.#places.find(place)?.number ?? -1
      fields.push(url === last ? '' : url, number.toString(digits), String(operations), selectKey)
      fields.push(filter ?? '', this.#prefixes.pack(from), this.#prefixes.pack(until))
      last = url
    }
    return fields.join(separator)
  }

  #unpack(text: string): Subscription[] {
    const [id = '', ...fields] = text.split(separator)
    const versions: Subscription[] = []
    for (let at = 0; at < fields.length; at += fieldsOfVersion) {
      const version = fields.slice(at, at + fieldsOfVersion) as PackedVersion
      versions.push(this.#version(id, version, versions.at(-1)))
    }
    return versions
  }

  #version(id: string, fields: PackedVersion, last: Subscription | undefined): Subscription {
    const [ownUrl, number, operations, selectKey, filter, from, until] = fields
    const place = this.#places.at(Number.parseInt(number, digits)).key
    const url = ownUrl === '' ? (last?.url ?? '') : ownUrl
    const isSameEndpoint = url === last?.url && place === last.place
    return {
      ...{ id, url, place, selectKey },
      endpoint: isSameEndpoint ? last.endpoint : endpointId({ ...tenantOf(place), url }),
      operations: Number(operations),
      select: selectKey === '' ? null : new Set(JSON.parse(selectKey) as string[]),
      filter: filter === '' ? null : filter,
      from: this.#prefixes.unpack(from),
      until: this.#prefixes.unpack(until),
    }
  }
}
