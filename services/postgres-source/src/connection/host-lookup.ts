import { lookup } from 'node:dns/promises'
import type { HostLookup } from '@surehook/service-kit/outbound/address-guard'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'

/** A lookup occupies a thread for as long as a name server does not answer, and there are four. */
const slots = new FairSlots({ room: { all: 2, each: 1 } })

/** Looks names up as the system does, with its search domains: `db` is a name inside a cluster. */
export const hostLookup: HostLookup = {
  resolve: (hostname, owner) => slots.run(owner, () => lookup(hostname, { all: true })),
}
