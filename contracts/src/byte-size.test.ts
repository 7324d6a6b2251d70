import { expect, it } from '@jest/globals'
import { byteSize } from './byte-size.ts'

it('chooses the largest unit of which there is at least one', () => {
  const sizes = [0, 512, 1_536, 3 * 1024 ** 3]
  expect(sizes.map(byteSize)).toEqual(['0 B', '512 B', '1.5 KiB', '3.0 GiB'])
})
