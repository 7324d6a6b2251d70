import { parseDuration } from '@surehook/service-kit/time'
import { UsageError } from '../../cli/command.ts'

/** Parses `90s`, `1h` or `2d` as a time that long ago, and anything else as an ISO 8601 time. */
export function instantOf(option: string, text: string, now: number): Date {
  const isDuration = /^\d+(?:ms|s|m|h|d)$/.test(text)
  const at = isDuration ? new Date(now - parseDuration(text)) : new Date(text)
  if (!Number.isNaN(at.getTime())) return at
  throw new UsageError(`--${option}: a duration (90s, 1h, 2d) or a time (2026-01-31T12:00:00Z)`)
}

export function countOf(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageError(`--${option}: "${text}" is not a number from 1 on`)
}

/** Parses the JSON that an option holds. */
export function jsonOf(option: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (err) {
    throw new UsageError(`--${option} is not JSON`, { cause: err })
  }
}

export function objectOf(option: string, text: string): Record<string, unknown> {
  const value = jsonOf(option, text)
  if (isObject(value)) return value
  throw new UsageError(`--${option} is not a JSON object`)
}

export const listOf = (text: string): string[] => text.split(',').map((item) => item.trim())

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Leaves out the fields that are undefined. */
export function given<Fields extends object>(fields: Fields): DefinedFields<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as DefinedFields<Fields>
}

type DefinedFields<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }
