import type { InstallationHealth } from '@surehook/client'
import type { Tone } from '../../parts/data/status-badge.tsx'

export type Finding = InstallationHealth['findings'][number]
type Level = Finding['level']

/** The findings of one area, and the worst of them. */
export type Area = { name: string; level: Level; findings: readonly Finding[] }

/** From the best to the worst. */
const levels: readonly Level[] = ['ok', 'skipped', 'warn', 'wrong']

/** Groups findings by area. Areas and findings keep their order, so that nothing moves. */
export function areasOf(findings: readonly Finding[]): Area[] {
  const names = [...new Set(findings.map(({ area }) => area))]
  return names.map((name) => {
    const own = findings.filter(({ area }) => area === name)
    const worst = Math.max(...own.map(({ level }) => levels.indexOf(level)))
    return { name, level: levels[worst] ?? 'ok', findings: own }
  })
}

export const levelTexts: Record<Level, { tone: Tone; text: string }> = {
  ok: { tone: 'good', text: 'OK' },
  skipped: { tone: 'quiet', text: 'Not checked' },
  warn: { tone: 'warn', text: 'Look at it' },
  wrong: { tone: 'bad', text: 'Wrong' },
}

/** One badge for everything that was checked. */
export function summaryOf(findings: readonly Finding[]): { tone: Tone; text: string } {
  const countOf = (level: Level) => findings.filter((one) => one.level === level).length
  const [wrong, warn] = [countOf('wrong'), countOf('warn')]
  if (wrong > 0) return { tone: 'bad', text: `${wrong} wrong` }
  if (warn > 0) return { tone: 'warn', text: `${warn} to look at` }
  return { tone: 'good', text: 'No check fails' }
}

const titles: Record<string, string> = {
  deliveries: 'Deliveries',
  postgresql: 'PostgreSQL',
  slots: 'Replication slots',
  kafka: 'Kafka',
  topics: 'Topics',
  consumers: 'Consumers',
  redis: 'Redis',
}

/** A newer server may check more. */
export const titleOf = (area: string): string => titles[area] ?? area
