import type { Step } from './steps.ts'

/** The plan of one section of the file. */
export type Part = { steps: Step[]; deletions: Step[]; refusals: string[]; left: string[] }

export const emptyPart = (): Part => ({ steps: [], deletions: [], refusals: [], left: [] })
