import type { Session } from '../session/session.ts'

/** A command that calls the API. It takes the token from the environment, never from the page. */
export function curlCommand(
  session: Session,
  call: { method: string; path: string; body: object },
) {
  const { project, environment } =
    session.kind === 'developer' ? session : { project: '', environment: '' }
  return [
    `curl -X ${call.method} ${window.location.origin}/gw/api/rest/${call.path} \\`,
    `  -H "Authorization: Bearer $TOKEN" -H 'X-Project-Id: ${project}' \\`,
    `  -H 'environment: ${environment}' -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(call.body)}'`,
  ].join('\n')
}
