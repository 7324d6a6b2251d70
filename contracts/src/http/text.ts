import * as z from 'zod'
import { ruled } from '../violation-rules.ts'

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
