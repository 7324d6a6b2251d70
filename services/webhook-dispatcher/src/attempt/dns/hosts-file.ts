import type { LookupAddress } from 'node:dns'
import { readFileSync } from 'node:fs'

/** Returns the text of this machine's hosts file. Some containers have none. */
export function readHosts(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8')
  } catch {
    return ''
  }
}

/** Returns addresses by lower-case name, IPv4 first. */
export function parseHosts(text: string): Map<string, LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (address === undefined || address === '') continue
    const family = address.includes(':') ? 6 : 4
    for (const name of names.map((one) => one.toLowerCase())) {
      const known = hosts.get(name) ?? []
      hosts.set(
        name,
        [...known, { address, family }].toSorted((a, b) => a.family - b.family),
      )
    }
  }
  return hosts
}
