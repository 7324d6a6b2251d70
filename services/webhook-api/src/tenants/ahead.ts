/**
 * Does the work before a transaction, which then does not wait for it. The result throws the error
 * of the work only if it is called: a repeated request has its answer already.
 */
export async function ahead<T>(work: () => Promise<T>): Promise<() => T> {
  const [settled] = await Promise.allSettled([work()])
  return () => {
    if (settled.status === 'rejected') throw settled.reason
    return settled.value
  }
}
