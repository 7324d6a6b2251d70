import { expect, it } from '@jest/globals'
import { AppError } from '@surehook/service-kit/errors'
import { createIdentifyCaller } from '../platform/admin-token.ts'
import { countedCaller } from './console-routes.ts'

const right = 'Bearer correct-horse'

function counting() {
  const counted: string[] = []
  const limits = {
    consume: async (limit: string, _place: unknown, client: string) => {
      counted.push(`${limit} of ${client}`)
      if (counted.length > 2) throw new AppError('RATE_LIMIT_EXCEEDED')
    },
  }
  const identify = createIdentifyCaller(['correct-horse'], async () => undefined)
  return { find: countedCaller(identify, limits), counted }
}

it('counts a right credential and a wrong one apart', async () => {
  const { find, counted } = counting()
  await expect(find('Bearer wrong', 'a')).rejects.toMatchObject({ code: 'ADMIN_TOKEN_INVALID' })
  expect(await find(right, 'a')).toBeNull()
  expect(counted).toEqual(['consoleCredential of a', 'consoleCode of a'])
  await expect(find('Bearer wrong', 'a')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  await expect(find(right, 'a')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  expect(counted.slice(2)).toEqual(['consoleCredential of a', 'consoleCode of a'])
})

it('counts nothing while credentials cannot be checked', async () => {
  const counted: string[] = []
  const limits = { consume: async (limit: string) => void counted.push(limit) }
  const find = countedCaller(async () => Promise.reject(new Error('away')), limits)
  await expect(find(right, 'a')).rejects.toThrow('away')
  expect(counted).toEqual([])
})
