import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

type Sender = Pick<IncomingMessage, 'headers'> & {
  socket: { readonly remoteAddress?: string | undefined }
}

/**
 * Who sent the request, as limits count: the address that our gateway found and wrote into
 * `X-Forwarded-For`, or the connection's own where there is no gateway. IPv6 by /64, which is what
 * one subscriber has.
 */
export function clientAddress({ headers, socket }: Sender): string {
  const forwarded = headers['x-forwarded-for']
  // The gateway replaces the header; behind further hops of ours the last entry is the nearest truth.
  const nearest = (Array.isArray(forwarded) ? forwarded.join() : forwarded)?.split(',').at(-1)
  return countedAddress(nearest?.trim() || (socket.remoteAddress ?? ''))
}

function countedAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '').replace(/%.*$/, '')
  return isIPv6(plain) ? network64(plain) : plain.slice(0, 64)
}

/** The first four groups, written out alike however the address was written. */
function network64(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  // Only the first four groups count: how many `::` stands for matters no further.
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const length = rest.length + (rest.at(-1)?.includes('.') === true ? 1 : 0)
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - length)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...rest]
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
