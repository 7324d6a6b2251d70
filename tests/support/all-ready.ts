import { answersOk } from '@surehook/scripts/lib/http-probe'
import { until } from '@surehook/testing/until'
import type { TestSystem } from './open-system.ts'

/** Resolves when every service is ready again without intervention. */
export function allReady({ services }: TestSystem): Promise<void> {
  const everyOne = Object.values(services).flat()
  return until(
    async () => {
      const ready = everyOne.map(({ internalUrl }) => answersOk(`${internalUrl}/readyz`))
      return (await Promise.all(ready)).every(Boolean)
    },
    { what: 'every service to be ready again' },
  )
}
