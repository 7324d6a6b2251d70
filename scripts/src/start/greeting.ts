import type { RunningSystem } from '../lib/running-system.ts'

/** What a new user needs to go on: where it is, how to get in, what to try. */
export function greeting({ baseUrl, adminToken }: RunningSystem, seconds: string): string {
  const headers = `-H 'Authorization: Bearer ${adminToken}' -H 'Content-Type: application/json'`
  const project = `${baseUrl}/auth/admin/projects/acme`
  return `
Surehook is ready (${seconds} s)

  base URL      ${baseUrl}
  admin token   ${adminToken}

Try next, in another terminal:

  npm run demo
  curl -sX PUT ${project}/environments/master ${headers} -d '{}'
  curl -sX POST ${project}/management-tokens ${headers} -d '{"name":"me"}'

Mails that users would get are shown here and kept in .local/mail, unless SMTP_URL is set.
Ctrl-C stops everything. Logs are in .local/system, and in .local/stack or .local/containers.`
}
