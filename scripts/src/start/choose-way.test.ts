import { expect, it } from '@jest/globals'
import { type Circumstances, chooseWay } from './choose-way.ts'

/** A fresh checkout on a machine whose Docker has the images. */
const fresh: Circumstances = {
  asked: undefined,
  keptLocally: false,
  keptInContainers: false,
  isCi: false,
  whyNoContainers: async () => null,
  missingImage: async () => null,
}

const unasked = () => Promise.reject(new Error('nobody should have looked'))

it('uses containers if they are available at once', async () => {
  expect(await chooseWay(fresh)).toMatchObject({ way: 'containers' })
})

it.each([
  ['Docker does not answer', { whyNoContainers: async () => 'Docker does not answer' }],
  ['redis:8 cannot be pulled', { missingImage: async () => 'redis:8' }],
  ['CI is set', { isCi: true, whyNoContainers: unasked, missingImage: unasked }],
])('uses processes when %s, and says so', async (because, difference) => {
  expect(await chooseWay({ ...fresh, ...difference })).toEqual({ way: 'local', because })
})

it("uses the place of the checkout's data", async () => {
  const locally = { ...fresh, keptLocally: true, whyNoContainers: unasked }
  expect(await chooseWay(locally)).toMatchObject({ way: 'local' })
  const inContainers = { ...fresh, keptInContainers: true, isCi: true }
  expect(await chooseWay(inContainers)).toMatchObject({ way: 'containers' })
})

it('does not start empty beside unreachable data in containers', async () => {
  const whyNoContainers = async () => 'Docker does not answer'
  await expect(chooseWay({ ...fresh, keptInContainers: true, whyNoContainers })).rejects.toThrow(
    'Docker does not answer, but the data of this checkout is there',
  )
})

it('follows START_WITH in any case', async () => {
  const local = { ...fresh, asked: 'local', keptInContainers: true, whyNoContainers: unasked }
  expect(await chooseWay(local)).toMatchObject({ way: 'local' })
  const containers = { ...fresh, asked: 'containers', keptLocally: true, isCi: true }
  expect(await chooseWay(containers)).toMatchObject({ way: 'containers' })
  const missing = { ...containers, missingImage: async () => 'redis:8' }
  await expect(chooseWay(missing)).rejects.toThrow('redis:8 cannot be pulled')
})

it('refuses an unknown way', async () => {
  await expect(chooseWay({ ...fresh, asked: 'podman' })).rejects.toThrow(
    'START_WITH is "local" or "containers", not "podman"',
  )
})
