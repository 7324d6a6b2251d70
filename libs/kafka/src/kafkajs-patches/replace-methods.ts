const restores: (() => void)[] = []

/**
 * Replaces methods of kafkajs, and keeps in `before` those that were there: the new ones call them.
 * The methods of a `before` are replaced once per process, so that no patch ever calls itself.
 */
export function replaceMethods<T extends object>(
  target: T,
  before: Partial<T>,
  methods: Partial<T>,
): void {
  for (const name of Object.keys(methods) as (keyof T)[]) {
    if (name in before) continue
    const method = target[name]
    before[name] = method
    target[name] = methods[name] as T[keyof T]
    restores.push(() => {
      target[name] = method
      delete before[name]
    })
  }
}

/** Undoes all patches. For the tests of patches, because test files share a process. */
export function restoreMethods(): void {
  for (const restore of restores.splice(0).toReversed()) restore()
}
