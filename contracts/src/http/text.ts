import * as z from 'zod'
import { ruled } from '../violation-rules.ts'

// oxlint-disable-next-line no-control-regex -- control characters are the point
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/

/** True for text without control characters, which also has no line break. */
export const isPlainText = (value: string): boolean =>
  value.isWellFormed() && !controlCharacter.test(value)

/** Text that PostgreSQL can store. */
export const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine(
      (value) => value.isWellFormed() && !value.includes('\0'),
      ruled('must be valid text', 'invalid_text'),
    )

/** Part of what a list is searched for. Upper and lower case count as the same. */
export const SearchText = text(200)
