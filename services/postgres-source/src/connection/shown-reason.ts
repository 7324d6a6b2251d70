import { reasonOf } from '@surehook/service-kit/errors'

const maxLength = 300

/** The message of an error, at a length that fits an answer: a foreign server may write any text. */
export const shownReason = (err: unknown): string => reasonOf(err).slice(0, maxLength)
