/**
 * Collects the parameters of one statement. Each placeholder has a cast, so that PostgreSQL does
 * not infer its type.
 */
export class SqlParams {
  readonly values: unknown[] = []
  readonly #startIndex: number

  constructor(startIndex: number) {
    this.#startIndex = startIndex
  }

  add(value: unknown, type: string): string {
    this.values.push(value)
    return `$${this.#startIndex + this.values.length - 1}::${type}`
  }
}
