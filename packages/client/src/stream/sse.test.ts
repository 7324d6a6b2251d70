import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type Block, BlockReader } from './sse.ts'

const text =
  'retry: 1000\nid: a\n\n' +
  'event: INSERT\nid: b\ndata: {"n":\ndata: 1}\n\n' +
  ': heartbeat\nid: c\n\n' +
  ': shutdown\n\n'

it('reads the same blocks however the text is cut', () => {
  const blocks: Block[] = [
    { id: 'a', data: undefined },
    { id: 'b', data: '{"n":\n1}' },
    { id: 'c', data: undefined, comment: 'heartbeat' },
    { id: undefined, data: undefined, comment: 'shutdown' },
  ]
  const places = fc.uniqueArray(fc.nat(text.length)).map((all) => all.toSorted((a, b) => a - b))
  fc.assert(
    fc.property(places, (cuts) => {
      const reader = new BlockReader()
      const ends = [...cuts, text.length]
      const parts = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
      expect(parts.flatMap((part) => reader.push(part))).toEqual(blocks)
    }),
  )
})
