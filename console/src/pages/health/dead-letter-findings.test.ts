import { expect, it } from '@jest/globals'
import { summaryOf } from './areas.ts'
import { deadLetterFindings } from './dead-letter-findings.ts'

const counts = (delivered: number, deadLetter: number) => ({ attempts: 0, delivered, deadLetter })

it('is not healthy beside many dead letters', () => {
  const findings = deadLetterFindings({ deliveries: { hour: counts(9, 0), day: counts(79, 21) } })
  expect(findings.map(({ level, says }) => [level, says])).toEqual([
    ['ok', '0% of the deliveries of the last hour are dead letters'],
    ['wrong', '21% of the deliveries of the last 24 hours are dead letters'],
  ])
  expect(summaryOf(findings)).toEqual({ tone: 'bad', text: '1 wrong' })
})

it('has no finding where no number was read', () => {
  expect(deadLetterFindings({ deliveries: null })).toEqual([])
})
