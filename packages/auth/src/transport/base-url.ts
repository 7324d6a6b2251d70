/**
 * As the URLs of requests show it: `https://X.example:443/` becomes `https://x.example`. Refuses
 * credentials in the URL, because errors of `fetch` quote it.
 */
export function checkedBaseUrl(baseUrl: string): string {
  const { protocol, username, password, href } = new URL(baseUrl)
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') {
    throw new TypeError('baseUrl must be an http or https URL without credentials')
  }
  return href.replace(/\/+$/, '')
}
