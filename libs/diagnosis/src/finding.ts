/** `warn`: nothing is broken yet, but look at it. `skipped`: not checked, for the given reason. */
export type Level = 'ok' | 'warn' | 'wrong' | 'skipped'

/** Result of one check. */
export type Finding = {
  readonly area: Area
  readonly level: Level
  /** One line about the state. */
  readonly says: string
  /** One sentence about what to do. Set on every finding that is not ok. */
  readonly advice?: string
}

/** Areas in the order of the report. */
export const areas = [
  'configuration',
  'gateway',
  'postgresql',
  'slots',
  'kafka',
  'topics',
  'schemas',
  'consumers',
  'redis',
  'smtp',
  'clocks',
  'certificates',
  'disk',
] as const
export type Area = (typeof areas)[number]

/** Returns constructors for findings of one area. */
export function findingsOf(area: Area) {
  return {
    ok: (says: string): Finding => ({ area, level: 'ok', says }),
    warn: (says: string, advice: string): Finding => ({ area, level: 'warn', says, advice }),
    wrong: (says: string, advice: string): Finding => ({ area, level: 'wrong', says, advice }),
    skipped: (says: string): Finding => ({ area, level: 'skipped', says }),
  }
}
