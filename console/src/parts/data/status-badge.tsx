import type { ReactNode } from 'react'
import './status-badge.css'

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet'

/** The colour repeats what the text says. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

const tones: Record<string, [Tone, string]> = {
  pending: ['info', 'Pending'],
  delivered: ['good', 'Delivered'],
  retrying: ['warn', 'Retrying'],
  paused: ['warn', 'Paused'],
  dead_letter: ['bad', 'Dead letter'],
  cancelled: ['quiet', 'Cancelled'],
  not_delivered: ['quiet', 'Not delivered'],
  unknown: ['quiet', 'Unknown'],
}

/** The status of a delivery, or the outcome of an event. */
export function StatusBadge({ status }: { status: string }) {
  const [tone, text] = tones[status] ?? ['quiet', status]
  return <Badge tone={tone}>{text}</Badge>
}
