import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { AnswerFilter, AnswerRefusedError } from './answer-filter.ts'

const final = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const proceed = 'HTTP/1.1 100 Continue\r\n\r\n'
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'

function through(filter: AnswerFilter, chunks: readonly string[]): string {
  const out = chunks.map((chunk) => filter.take(Buffer.from(chunk, 'latin1')))
  return Buffer.concat([...out, filter.take(null)].filter((one) => one !== null)).toString('latin1')
}

function opened(): AnswerFilter {
  const filter = new AnswerFilter()
  filter.begin()
  return filter
}

describe('AnswerFilter', () => {
  it.each([
    ['none', ''],
    ['100', proceed],
    ['several', proceed + hints + proceed],
  ])('lets the answer through after interim answers: %s', (_what, before) => {
    expect(through(opened(), [before + final])).toBe(final)
  })

  it('does so wherever the bytes are split', () => {
    const cut = fc.tuple(
      fc.constantFrom('', proceed, hints + proceed),
      fc.array(fc.nat({ max: 200 }), { maxLength: 20 }),
    )
    fc.assert(
      fc.property(cut, ([before, places]) => {
        const text = before + final
        const ends = [...places.toSorted((a, b) => a - b), text.length]
        const chunks = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
        expect(through(opened(), chunks)).toBe(final)
      }),
    )
  })

  it('changes neither an answer nor the bytes before the next exchange', () => {
    const body = `HTTP/1.1 200 OK\r\n\r\n${proceed}`
    expect(through(opened(), [body, proceed])).toBe(body + proceed)
    expect(through(new AnswerFilter(), [proceed])).toBe(proceed)
  })

  it('starts afresh with each exchange', () => {
    const filter = opened()
    expect(through(filter, [proceed + final])).toBe(final)
    filter.begin()
    expect(through(filter, [hints + final])).toBe(final)
  })

  it('passes on the bytes it still holds at the end', () => {
    expect(through(opened(), ['HTTP/1.'])).toBe('HTTP/1.')
  })

  it.each([
    ['interim answers', '', hints],
    ['one interim answer', 'HTTP/1.1 103 Early Hints\r\nlink: ', 'a'.repeat(20)],
    ['the status line', 'HTTP/1.1 200 ', 'a'.repeat(20)],
    ['the answer', final, 'a'.repeat(20)],
  ])('limits what it accepts: %s', (_what, start, more) => {
    const filter = opened()
    const chunk = more.repeat(1_000)
    expect(() => through(filter, [start, ...Array<string>(20).fill(chunk)])).toThrow(
      AnswerRefusedError,
    )
  })

  it('reports the status once its line is whole, wherever the bytes are split', () => {
    const answers = fc.constantFrom<[string, number | null]>(
      ['HTTP/1.1 200 OK\r\nx : y\r\n\r\n', 200],
      ['HTTP/1.0 503\n\n', 503],
      ['HTTP/1.1  200\tOK\r\n', 200],
      ['\r\n\nHTTP/1.1 200 OK\r\nx : y\r\n\r\n', 200],
      [`\r\n${hints}\r\nHTTP/1.1 200 OK\r\n\r\n`, 200],
      [`${hints}HTTP/1.1 204 No Content\r\n\r\n`, 204],
      ['HTTP/1.1 200 OK', null],
      ['HTTP/1.1 2000 OK\r\n', null],
      ['SSH-2.0-OpenSSH_9.6\r\n', null],
    )
    fc.assert(
      fc.property(answers, fc.array(fc.nat({ max: 60 })), ([text, status], places) => {
        const statuses: number[] = []
        const filter = new AnswerFilter()
        filter.begin((reported) => statuses.push(reported))
        const ends = [...places.toSorted((a, b) => a - b), text.length]
        const chunks = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
        expect(through(filter, chunks)).not.toContain('103')
        expect(statuses).toEqual(status === null ? [] : [status])
      }),
    )
  })

  it('refuses to change the protocol', () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n'
    expect(() => through(opened(), [upgrade])).toThrow(AnswerRefusedError)
  })
})
