/** The parameters of one statement. Each is cast where it stands, so that its type is never guessed. */
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
