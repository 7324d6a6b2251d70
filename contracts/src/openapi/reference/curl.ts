import type { OperationObject, Parameter } from './openapi-document.ts'
import { readableJson } from './readable-json.ts'

/** The shell variable of each credential. */
export const tokenVariables: Readonly<Record<string, string>> = {
  admin: 'ADMIN_TOKEN',
  management: 'MANAGEMENT_TOKEN',
  user: 'ACCESS_TOKEN',
}

/** Returns the usual spelling of a header, such as `X-Project-Id`. */
export const headerName = (name: string): string =>
  name === 'environment' ? name : name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())

type Request = {
  method: string
  path: string
  base: string
  /** Where the gateway is. Default: a variable of the shell. */
  origin?: string
  /** Values of parameters by name, instead of their examples. */
  values?: Readonly<Record<string, string>>
}

type CalledOperation = Pick<OperationObject, 'security' | 'parameters' | 'requestBody'>

/** Returns a command that sends the operation's example. The shell fills in the credential. */
export function curlOf(operation: CalledOperation, request: Request): string {
  const { method, path, base, origin = '$BASE', values = {} } = request
  const sent = (operation.parameters ?? [])
    .map((one) => ({ ...one, example: values[one.name] ?? one.example }))
    .filter(({ example }) => example !== undefined)
  const [credential] = operation.security.flatMap(Object.keys)
  const body = operation.requestBody?.content['application/json']?.example
  const headers = sent.filter((one) => one.in === 'header')
  return [
    `curl -X ${method} "${origin}${base}${filled(path, sent)}${queryOf(sent)}"`,
    ...(credential === undefined
      ? []
      : [`-H "Authorization: Bearer $${tokenVariables[credential]}"`]),
    ...headers.map(({ name, example }) => `-H '${headerName(name)}: ${quoted(String(example))}'`),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${quoted(readableJson(body))}'`]),
  ].join(' \\\n  ')
}

const quoted = (text: string) => text.replaceAll("'", "'\\''")

type ExampleParameter = Pick<Parameter, 'in' | 'name'> & { example?: string | number | undefined }

function filled(path: string, parameters: readonly ExampleParameter[]): string {
  return parameters
    .filter((one) => one.in === 'path')
    .reduce(
      (text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))),
      path,
    )
}

function queryOf(parameters: readonly ExampleParameter[]): string {
  const query = new URLSearchParams(
    parameters
      .filter((one) => one.in === 'query')
      .map(({ name, example }): [string, string] => [name, String(example)]),
  )
  return query.size === 0 ? '' : `?${query.toString()}`
}
