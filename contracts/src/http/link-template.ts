const maxLength = 2000
const placeholder = /\{(code|email)\}/g
const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
/**
 * The exact form of scheme and authority. The URL parser would accept backslashes, spaces and
 * missing slashes.
 */
const form = /^(https?):\/\/([A-Za-z0-9.-]+|\[::1\])(:\d{1,5})?([/?#][^\s\\{}]*)?$/
const authority = /^https?:\/\/[^/?#]*/

/** Returns the reason why a mail cannot carry `text` as a link, or `null`. */
export function linkTemplateFault(text: string): string | null {
  if (text.length > maxLength) return `must be at most ${maxLength} characters`
  if (!text.includes('{code}')) return 'must contain {code}'
  const [scheme, host] = form.exec(text.replaceAll(placeholder, 'x'))?.slice(1) ?? []
  if (scheme === undefined || host === undefined || !URL.canParse(fillLink(text, sample))) {
    return 'must be an absolute URL with no other placeholders than {code} and {email}'
  }
  if (authority.exec(text)?.[0].includes('{') !== false)
    return 'must have its placeholders after the host'
  if (scheme === 'https' || localHosts.has(host)) return null
  return 'must use https, except on localhost'
}

const sample = { code: '123456', email: 'ada@example.com' }

/**
 * Returns the link for one reader. Values are percent-encoded, so they cannot change the URL's
 * parts.
 */
export function fillLink(template: string, values: { code: string; email: string }): string {
  return template.replaceAll(placeholder, (_all, name: 'code' | 'email') =>
    encodeURIComponent(values[name]),
  )
}
