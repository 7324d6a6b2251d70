import type { Delivery, DeliveryDetail, FoundDelivery } from '@surehook/client'
import type { Output } from './shown.ts'
import { tableOf } from './shown.ts'
import { cellOf, textTable } from './text-table.ts'
import { timeCell } from './times.ts'
import { visible } from './visible.ts'

/** `deliveries show` takes the last two cells in their order. */
export const foundCells = (delivery: FoundDelivery, now: number) => ({
  ...stateCells(delivery, now),
  change: changeOf(delivery),
  event: delivery.eventId,
  'webhook name': cellOf(delivery.webhookName),
  webhook: delivery.webhookId,
  delivery: delivery.id,
})

export const deliveryCells = (delivery: Delivery, now: number) => ({
  ...stateCells(delivery, now),
  event: delivery.eventId,
  delivery: delivery.id,
})

const stateCells = (delivery: Delivery, now: number) => ({
  made: timeCell(delivery.createdAt, now),
  status: delivery.status,
  http: cellOf(delivery.httpStatus),
  error: cellOf(delivery.lastError),
  attempts: String(delivery.attempts),
  next: timeCell(delivery.nextAttemptAt, now),
})

/** One line for a delivery that has ended. */
export function endedLine(delivery: FoundDelivery, now: number): string {
  const { id, webhookId, webhookName, status, httpStatus, attempts, lastError, createdAt } =
    delivery
  const answer = httpStatus === null ? (lastError ?? '-') : String(httpStatus)
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
  const cells = [
    timeCell(createdAt, now),
    status.padEnd(11),
    answer,
    tries,
    changeOf(delivery),
    ...(webhookName === null ? [] : [webhookName]),
    `${webhookId} ${id}`,
  ]
  return visible(cells.join('  '))
}

const changeOf = ({ event, table, recordId }: FoundDelivery) =>
  `${event ?? '-'} ${table ?? '-'}/${recordId ?? '-'}`

/** Shows a delivery with its attempts and its body. */
export function showDelivery(detail: DeliveryDetail, now: number): Output {
  const { attemptLog, body } = detail
  const attempts = attemptLog.map((attempt) => ({
    attempt: String(attempt.attempt),
    at: timeCell(attempt.at, now),
    outcome: attempt.outcome,
    http: cellOf(attempt.httpStatus),
    ms: cellOf(attempt.latencyMs),
    error: [attempt.errorClass, attempt.errorMessage].filter(Boolean).join(': ') || '-',
    answer: oneLine(attempt.answer),
  }))
  const fields = { ...deliveryCells(detail, now), 'redelivery of': cellOf(detail.redeliveryOf) }
  const lines = [
    ...textTable(Object.entries(fields)),
    '',
    attempts.length === 0 ? 'no attempt yet' : tableOf(attempts),
    '',
    body === null ? 'the body has expired' : visible(body),
  ]
  return { value: detail, lines }
}

const shownAnswer = 80

function oneLine(answer: string | null): string {
  const line = (answer ?? '').replaceAll(/\s+/g, ' ').trim()
  if (line === '') return '-'
  return line.length > shownAnswer ? `${line.slice(0, shownAnswer)}…` : line
}
