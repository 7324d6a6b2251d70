import { expect, it } from '@jest/globals'
import { CloseTogether } from './close-together.ts'

it('closes its members at the same time', async () => {
  const together = new CloseTogether()
  const second = Promise.withResolvers<void>()
  together.use({ [Symbol.asyncDispose]: () => second.promise })
  together.use({ [Symbol.asyncDispose]: async () => second.resolve() })
  await together[Symbol.asyncDispose]()
})

it('closes all members even if one fails, and then tells why', async () => {
  const together = new CloseTogether()
  let isClosed = false
  together.use({
    [Symbol.asyncDispose]: async () => {
      throw new Error('stuck')
    },
  })
  together.use({
    [Symbol.asyncDispose]: async () => {
      await new Promise(setImmediate)
      isClosed = true
    },
  })
  await expect(together[Symbol.asyncDispose]()).rejects.toMatchObject({
    errors: [new Error('stuck')],
  })
  expect(isClosed).toBe(true)
})
