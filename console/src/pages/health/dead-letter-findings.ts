import type { InstallationHealth } from '@surehook/client'
import { deadLetterLevel, deadLetterPercent } from '../../parts/data/dead-letter-level.ts'
import type { Finding } from './areas.ts'

type Deliveries = Pick<InstallationHealth, 'deliveries'>

const spans = [
  ['hour', 'the last hour'],
  ['day', 'the last 24 hours'],
] as const

/** The doctor checks the machinery. Deliveries that fail are a finding too. */
export function deadLetterFindings({ deliveries }: Deliveries): Finding[] {
  if (deliveries === null) return []
  return spans.map(([name, span]): Finding => {
    const level = deadLetterLevel(deliveries[name])
    return {
      area: 'deliveries',
      level,
      says: `${deadLetterPercent(deliveries[name])} of the deliveries of ${span} are dead letters`,
      ...(level !== 'ok' && { advice: 'The overview of each environment names the webhooks.' }),
    }
  })
}
