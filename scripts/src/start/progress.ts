/** The seconds since the command began. */
export const secondsSinceStart = (): string => (performance.now() / 1000).toFixed(1)

/** Prints a line with the seconds since the command began: steps that run side by side overlap. */
export function progress(line: string): void {
  say(`${secondsSinceStart().padStart(6)} s  ${line}`)
}

/** Prints one line when the step is finished. */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const result = await work()
  progress(name)
  return result
}

export function say(line: string): void {
  console.log(line)
}
