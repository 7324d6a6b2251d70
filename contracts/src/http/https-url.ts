const maxLength = 2048
// The URL parser accepts spaces, tabs, backslashes and missing slashes. Other parsers may read such
// a text differently, so the text itself is checked too.
const plain = /^https:\/\/[^/\\?#\s]+[^\s\\]*$/i
// oxlint-disable-next-line no-control-regex -- control characters are the point
const control = /[\u0000-\u001f\u007f]/

/** Returns the reason why `text` is not a valid receiver URL, or `null` if it is valid. */
export function httpsUrlFault(text: string): string | null {
  if (text.length > maxLength) return `must be at most ${maxLength} characters`
  if (!text.isWellFormed() || control.test(text)) return 'must be an absolute https URL'
  if (!URL.canParse(text)) return 'must be an absolute https URL'
  const url = new URL(text)
  if (url.protocol !== 'https:') return 'must use https'
  if (!plain.test(text)) return 'must be an absolute https URL'
  if (url.username !== '' || url.password !== '' || authority(text).includes('@')) {
    return 'must not contain credentials'
  }
  if (text.includes('#')) return 'must not have a fragment'
  if (url.port === '0') return 'must not use port 0'
  return null
}

function authority(text: string): string {
  return text.slice('https://'.length).split(/[/?#]/, 1)[0] ?? ''
}
