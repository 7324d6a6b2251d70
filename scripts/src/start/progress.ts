/** Prints one line per finished step, with its duration in seconds. */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  say(`${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
  return result
}

export function say(line: string): void {
  console.log(line)
}
