/** The LSN at the end of a WAL position, without its leading zeros. */
const position = /^(.+\/)0*([0-9a-f]*)$/s
const lsnDigits = 16
const digits = 36

/**
 * Writes WAL positions short. All of one cluster and timeline share a prefix, so a number stands for
 * it.
 */
export class PositionPrefixes {
  readonly #numbers = new Map<string, number>()
  readonly #prefixes: string[] = []

  /** Returns a text without NUL; '' for null. */
  pack(walPosition: string | null): string {
    if (walPosition === null) return ''
    const [, prefix = walPosition, lsn = ''] = position.exec(walPosition) ?? []
    if (this.#textOf(prefix, lsn) === walPosition) return `${this.#numberOf(prefix)}/${lsn}`
    return this.#numberOf(walPosition)
  }

  unpack(packed: string): string | null {
    if (packed === '') return null
    const [number = '', lsn] = packed.split('/', 2)
    const prefix = this.#prefixes[Number.parseInt(number, digits)] ?? ''
    return lsn === undefined ? prefix : this.#textOf(prefix, lsn)
  }

  #textOf(prefix: string, lsn: string): string {
    return prefix + lsn.padStart(lsnDigits, '0')
  }

  #numberOf(prefix: string): string {
    const number = this.#numbers.get(prefix) ?? this.#prefixes.length
    if (number === this.#prefixes.length) this.#prefixes.push(prefix)
    this.#numbers.set(prefix, number)
    return number.toString(digits)
  }
}
