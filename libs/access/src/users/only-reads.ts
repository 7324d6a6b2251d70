import { asUserName } from '@surehook/contracts/http/data/as-user'
import { invalid } from '@surehook/service-kit/errors'

/** The answer to a request that does not show what a user sees, and says whose view it wants. */
export const onlyReads = () =>
  invalid([{ field: asUserName, message: 'is only for reads of records', rule: 'unrecognized' }])
