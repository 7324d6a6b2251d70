import { Candidates } from './candidates.ts'

/** The subscriptions that watch one table of one environment. */
export class WatchedTable {
  /** As `placeOf` returns it. */
  readonly key: string
  /** Stands for the key in packed subscriptions. */
  readonly number: number
  /** By set of events. */
  readonly byEvents = new Map<number, Candidates>()

  constructor(key: string, number: number) {
    this.key = key
    this.number = number
  }

  candidatesOf(events: number): Candidates {
    const candidates = this.byEvents.get(events) ?? new Candidates()
    this.byEvents.set(events, candidates)
    return candidates
  }
}

/** The places that any subscription watches. A freed number is given to another place. */
export class WatchedTables {
  readonly #byKey = new Map<string, WatchedTable>()
  readonly #byNumber: (WatchedTable | undefined)[] = []
  readonly #free: number[] = []

  find(key: string): WatchedTable | undefined {
    return this.#byKey.get(key)
  }

  at(number: number): WatchedTable {
    const place = this.#byNumber[number]
    if (place === undefined) throw new Error(`no place has the number ${number}`)
    return place
  }

  open(key: string): WatchedTable {
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    const place = new WatchedTable(key, this.#free.pop() ?? this.#byNumber.length)
    this.#byKey.set(key, place)
    this.#byNumber[place.number] = place
    return place
  }

  /** Forgets the candidates with these events, and the place, if they have no subscription. */
  closeIfEmpty(key: string, events: number): void {
    const place = this.#byKey.get(key)
    if (place?.byEvents.get(events)?.isEmpty === true) place.byEvents.delete(events)
    if (place === undefined || place.byEvents.size > 0) return
    this.#byKey.delete(key)
    this.#byNumber[place.number] = undefined
    this.#free.push(place.number)
  }
}
