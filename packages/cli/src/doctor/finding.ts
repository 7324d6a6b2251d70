/** `warn`: worth a look, nothing is broken yet. `skipped`: could not be looked at, for the reason that it says. */
export type Level = 'ok' | 'warn' | 'wrong' | 'skipped'

/** One thing that was looked at. */
export type Finding = {
  readonly area: Area
  readonly level: Level
  /** In one line. */
  readonly says: string
  /** What to do, in one sentence; of everything that is not ok. */
  readonly advice?: string
}

/** In the order of the report. */
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

/** The findings of one area. */
export function findingsOf(area: Area) {
  return {
    ok: (says: string): Finding => ({ area, level: 'ok', says }),
    warn: (says: string, advice: string): Finding => ({ area, level: 'warn', says, advice }),
    wrong: (says: string, advice: string): Finding => ({ area, level: 'wrong', says, advice }),
    skipped: (says: string): Finding => ({ area, level: 'skipped', says }),
  }
}
