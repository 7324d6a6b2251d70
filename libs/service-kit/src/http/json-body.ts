import type { IncomingMessage } from 'node:http'
import { parseExactJson } from '@surehook/contracts/json/exact-json'
import type { ViolationRule } from '@surehook/contracts/violation-rules'
import { AppError, invalid } from '../errors.ts'
import { discardRest } from './discard-rest.ts'

const maxDepth = 100
const jsonTypes: readonly string[] = ['application/json']
const charsetForm = /;\s*charset\s*=\s*"?([^\s;"]*)/i
const decoder = new TextDecoder('utf-8', { fatal: true })

type JsonReading = {
  limitBytes: number
  /** Accepted media types. */
  types?: readonly string[] | undefined
  /** Resolves when a large body may be parsed. */
  nextTurn?: () => Promise<void>
}

/**
 * Parsing and validating a larger body, or one with more values, takes the event loop for more than a
 * millisecond.
 */
const largeBytes = 32_768
const manyValues = 1_000

/**
 * Reads the request's JSON. Resolves with `undefined` without a body. Rejects with an `AppError`
 * for every fault.
 */
export async function readJsonBody(
  req: IncomingMessage,
  { limitBytes, types = jsonTypes, nextTurn }: JsonReading,
): Promise<unknown> {
  if (!announcesBody(req)) return undefined
  refuseOtherTypes(req, types)
  const bytes = await readBody(req, limitBytes)
  if (bytes.length > largeBytes || commasIn(bytes) > manyValues) await nextTurn?.()
  return bytes.length === 0 ? undefined : parseJson(bytes)
}

const comma = 0x2c

/** As many as values, or more: texts also have some. */
function commasIn(bytes: Buffer): number {
  let count = 0
  // By index, because an iterator allocates 30 bytes for each byte.
  for (let at = bytes.indexOf(comma); at !== -1; at = bytes.indexOf(comma, at + 1)) count++
  return count
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** The media type of the body in lower case, without its parameters. */
export function mediaTypeOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function refuseOtherTypes(req: IncomingMessage, types: readonly string[]): void {
  const type = req.headers['content-type'] ?? ''
  const encoding = req.headers['content-encoding'] ?? 'identity'
  const charset = charsetForm.exec(type)?.[1] ?? 'utf-8'
  const readable = /^utf-?8$/i.test(charset) && encoding === 'identity'
  if (types.includes(mediaTypeOf(req)) && readable) return
  discardRest(req)
  const named = types.join(' or ')
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', `The body must be ${named} in UTF-8`)
}

const wholeBodies = new WeakMap<IncomingMessage, Buffer>()

/** Stores a body that was read to its end before the service got the request. */
export function giveWholeBody(req: IncomingMessage, body: Buffer): void {
  wholeBodies.set(req, body)
}

const tooLarge = (limitBytes: number) =>
  new AppError('PAYLOAD_TOO_LARGE', `The body must be at most ${limitBytes} bytes`)

/**
 * Reads the request's body, of any type. Every route uses it, because in a single process the body
 * may already have been read.
 */
export async function readBody(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const whole = wholeBodies.get(req)
  if (whole === undefined) return receiveBytes(req, limitBytes)
  if (whole.length > limitBytes) throw tooLarge(limitBytes)
  return whole
}

function receiveBytes(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const refuse = () => {
      req.removeAllListeners('data')
      discardRest(req)
      reject(tooLarge(limitBytes))
    }
    if (Number(req.headers['content-length'] ?? 0) > limitBytes) return refuse()
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limitBytes) return refuse()
      chunks.push(chunk)
    })
    // The stream may have been paused in the middle.
    req.resume()
    req.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
    )
    req.once('error', () => reject(new ClientGoneError()))
    // `close` follows every request. The error is created only if needed, because it costs as much
    // as parsing the body.
    req.once('close', () => {
      if (!req.complete) reject(new ClientGoneError())
    })
  })
}

/** The client left before its request was complete, so nobody receives a response. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

function parseJson(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes)
  if (isDeeperThan(bytes, maxDepth))
    throw bodyFault(`must not be nested deeper than ${maxDepth} levels`, 'too_complex')
  let value: unknown
  try {
    value = parseExactJson(text)
  } catch {
    throw bodyFault('must be valid JSON', 'invalid_json')
  }
  if (mayNamePrototype(text)) refusePrototypeKeys(value)
  return value
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw bodyFault('must be valid UTF-8', 'invalid_text')
  }
}

const bodyFault = (message: string, rule: ViolationRule) =>
  invalid([{ field: 'body', message, rule }])

/** Runs before parsing, so that no later recursion over the value can exhaust the stack. */
function isDeeperThan(bytes: Buffer, limit: number): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (inString) {
      if (byte === 0x5c) i++
      else if (byte === 0x22) inString = false
    } else if (byte === 0x22) inString = true
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > limit) return true
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return false
}

/** JSON may escape any letter of the name (`\u0070` for p). All such escapes begin with `\u00`. */
function mayNamePrototype(text: string): boolean {
  return text.includes('__proto__') || text.includes('\\u00')
}

function refusePrototypeKeys(value: unknown): void {
  const path = typeof value === 'object' && value !== null ? pathOfPrototype(value) : null
  if (path === null) return
  const field = path.join('.')
  throw invalid([{ field, message: 'is not an accepted field name', rule: 'invalid_name' }])
}

/** Makes a path only where it ends, because a body may have a million values. */
function pathOfPrototype(value: object): string[] | null {
  if (Object.hasOwn(value, '__proto__')) return ['__proto__']
  const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  for (const [at, inner] of values.entries()) {
    if (typeof inner !== 'object' || inner === null) continue
    const path = pathOfPrototype(inner)
    if (path !== null) return [Object.keys(value)[at] ?? '', ...path]
  }
  return null
}
