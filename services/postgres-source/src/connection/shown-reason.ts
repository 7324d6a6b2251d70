import { SlotConnectionError } from '@surehook/change-capture/slot/slot-connection-error'
import { reasonOf } from '@surehook/service-kit/errors'
import { AddressBlockedError } from '@surehook/service-kit/outbound/address-guard'

const maxLength = 300

/**
 * What the API shows of an error: the message of the source's own database, at a length that fits an
 * answer, because a foreign server may write any text. All others are Surehook's, and only the log
 * has them.
 */
export const shownReason = (err: unknown): string =>
  err instanceof SlotConnectionError || err instanceof AddressBlockedError
    ? reasonOf(err).slice(0, maxLength)
    : 'Surehook has an internal problem, and tries again'
