import { readableJson } from '../markdown.ts'
import type { OperationObject, Parameter } from './openapi-document.ts'

/** The shell variable of each credential. */
export const tokenVariables: Readonly<Record<string, string>> = {
  admin: 'ADMIN_TOKEN',
  management: 'MANAGEMENT_TOKEN',
  user: 'ACCESS_TOKEN',
}

/** Returns the usual spelling of a header, such as `X-Project-Id`. */
export const headerName = (name: string): string =>
  name === 'environment' ? name : name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())

type Request = { method: string; path: string; base: string }

/** Returns a command that sends the operation's example. */
export function curlOf(operation: OperationObject, { method, path, base }: Request): string {
  const sent = (operation.parameters ?? []).filter(({ example }) => example !== undefined)
  const [credential] = operation.security.flatMap(Object.keys)
  const body = operation.requestBody?.content['application/json']?.example
  const headers = sent.filter((one) => one.in === 'header')
  return [
    `curl -X ${method} "$BASE${base}${filled(path, sent)}${queryOf(sent)}"`,
    ...(credential === undefined
      ? []
      : [`-H "Authorization: Bearer $${tokenVariables[credential]}"`]),
    ...headers.map(({ name, example }) => `-H '${headerName(name)}: ${example}'`),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${quoted(readableJson(body))}'`]),
  ].join(' \\\n  ')
}

const quoted = (text: string) => text.replaceAll("'", "'\\''")

function filled(path: string, parameters: readonly Parameter[]): string {
  return parameters
    .filter((one) => one.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path)
}

function queryOf(parameters: readonly Parameter[]): string {
  const query = new URLSearchParams(
    parameters
      .filter((one) => one.in === 'query')
      .map(({ name, example }): [string, string] => [name, String(example)]),
  )
  return query.size === 0 ? '' : `?${query.toString()}`
}
