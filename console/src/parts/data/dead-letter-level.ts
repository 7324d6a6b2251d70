import { percent } from './numbers.ts'

type Counts = { delivered: number; deadLetter: number }
export type DeadLetterLevel = 'ok' | 'warn' | 'wrong'

/** From which share of dead letters on, of the deliveries that ended, nothing looks healthy. */
const [warnFrom, wrongFrom] = [0.01, 0.1]

export function deadLetterLevel(counts: Counts): DeadLetterLevel {
  const share = deadLetterShare(counts)
  if (share >= wrongFrom) return 'wrong'
  return share >= warnFrom ? 'warn' : 'ok'
}

export const deadLetterPercent = (counts: Counts): string => percent(deadLetterShare(counts))

const deadLetterShare = ({ delivered, deadLetter }: Counts): number =>
  deadLetter === 0 ? 0 : deadLetter / (delivered + deadLetter)
