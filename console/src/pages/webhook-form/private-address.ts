/** What everybody may see at once: the address of the URL is none that Surehook calls by default. */
export function privateAddressIn(url: string): string | null {
  const host = hostOf(url)
  return host !== null && isPrivate(host) ? host : null
}

function hostOf(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null
  return parsed === null || parsed.hostname === '' ? null : parsed.hostname
}

const names = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/
const ipv6 = /^\[(?:::1?|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*|::ffff:.*)\]$/

const isPrivate = (host: string): boolean =>
  names.test(host) || ipv6.test(host) || isPrivateIpv4(host)

/** `URL` writes every form of an IPv4 address as four numbers. */
function isPrivateIpv4(host: string): boolean {
  const parts = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host)
  if (parts === null) return false
  const [first, second] = [Number(parts[1]), Number(parts[2])]
  if (first === 172) return second >= 16 && second < 32
  if (first === 192) return second === 168
  if (first === 169) return second === 254
  if (first === 100) return second >= 64 && second < 128
  return [0, 10, 127].includes(first)
}
