import { closestAlternative } from '@surehook/service-kit/closest-alternative'
import { reasonOf } from '@surehook/service-kit/errors'
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import type * as z from 'zod'
import { Failure } from '../../cli/command.ts'
import { EnvironmentFile } from './schema.ts'

type Path = readonly PropertyKey[]

/** A file that was read. `fault` names the file, the line and the field. */
export type ParsedFile = {
  content: EnvironmentFile
  fault: (path: Path, message: string) => string
}

/** Parses `surehook.yaml`. Throws a `Failure` that names every fault with its line and field. */
export function parseFile(text: string, file: string): ParsedFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const fault = (path: Path, message: string) =>
    `${file}:${lineOf(document, lines, path)}: ${nameOf(path)}${message}`
  if (document.errors.length > 0) {
    throw failed(
      document.errors.map(
        ({ pos, message }) => `${file}:${lines.linePos(pos[0]).line}: ${message}`,
      ),
    )
  }
  const parsed = EnvironmentFile.safeParse(contentOf(document, file))
  if (parsed.success) return { content: parsed.data, fault }
  throw failed(
    parsed.error.issues.flatMap(fieldFaultsOf).map(({ path, message }) => fault(path, message)),
  )
}

export const failed = (faults: readonly string[]) => new Failure(faults.join('\n'), { faults })

function contentOf(document: Document, file: string): unknown {
  try {
    return document.toJS()
  } catch (err) {
    // Such as an alias without its anchor, or too many aliases.
    throw failed([`${file}: ${reasonOf(err)}`])
  }
}

type FieldFault = { path: Path; message: string }

function fieldFaultsOf(issue: z.core.$ZodIssue): FieldFault[] {
  const { path, message } = issue
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'is no field of the file' }))
  }
  if (issue.code === 'invalid_union') {
    const closest = closestAlternative(issue.errors.map((issues) => issues.flatMap(fieldFaultsOf)))
    const nested = closest?.map((fault) => ({ ...fault, path: [...path, ...fault.path] }))
    return nested ?? [{ path, message }]
  }
  if (issue.code !== 'invalid_key') return [{ path, message }]
  return issue.issues.map((inner) => ({ path, message: inner.message }))
}

/** The line of the field, or of the nearest one above it that exists. */
function lineOf(document: Document, lines: LineCounter, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true)
    const key = path[length - 1]
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && item.key.value === key)?.key
      : document.getIn(path.slice(0, length), true)
    if (isNode(pair) && pair.range) return lines.linePos(pair.range[0]).line
  }
  return 1
}

function nameOf(path: Path): string {
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
  return name.length === 0 ? '' : `${name.join('').replace(/^\./, '')}: `
}
