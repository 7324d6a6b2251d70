/** Closes its members at the same time, so that their waits overlap. */
export class CloseTogether implements AsyncDisposable {
  readonly #members: AsyncDisposable[] = []

  use<Member extends AsyncDisposable>(member: Member): Member {
    this.#members.push(member)
    return member
  }

  /** Waits for all members, also if some fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closing = this.#members.map(async (member) => member[Symbol.asyncDispose]())
    const failures = (await Promise.allSettled(closing)).filter(
      ({ status }) => status === 'rejected',
    )
    if (failures.length === 0) return
    throw new AggregateError(
      failures.map((failure) => (failure as PromiseRejectedResult).reason),
      'not closed cleanly',
    )
  }
}
