import { type Finding, findingsOf } from '@surehook/diagnosis/finding'
import { reasonOf } from '@surehook/service-kit/errors'
import { causeOf } from '../../lib/cause-of.ts'
import type { Target } from '../target.ts'

const { ok, wrong, skipped } = findingsOf('gateway')

const timeoutMs = 10_000

export async function checkGateway({ baseUrl }: Target): Promise<Finding[]> {
  if (baseUrl === null) return [skipped('nobody says where it is: --url or SUREHOOK_URL')]
  try {
    const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(timeoutMs) })
    const text = await response.text()
    if (response.ok) return [ok(`${baseUrl} is ready`)]
    return [
      wrong(
        `${baseUrl} is not ready: ${response.status} ${text.slice(0, 300)}`,
        'Look at /readyz and the log of the service that it names.',
      ),
    ]
  } catch (err) {
    return [
      wrong(
        `${baseUrl} cannot be reached: ${reasonOf(causeOf(err))}`,
        'Start the gateway, or say where it is with --url.',
      ),
    ]
  }
}
