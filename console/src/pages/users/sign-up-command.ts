import type { Session } from '../../session/session.ts'

/** A command that makes a user. It needs no token: everybody may sign up. */
export function signUpCommand(session: Session, origin: string): string {
  const { project, environment } =
    session.kind === 'developer' ? session : { project: '', environment: '' }
  return [
    `curl -X POST ${origin}/auth/signup \\`,
    `  -H 'X-Project-Id: ${project}' -H 'environment: ${environment}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{ "email": "ada@example.com", "password": "four plain words here" }'`,
  ].join('\n')
}
