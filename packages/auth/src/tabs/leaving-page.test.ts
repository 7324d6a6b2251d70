import { beforeEach, expect, it } from '@jest/globals'
import { loggedIn, TabWorld } from '../../test/tab-world.ts'

let world: TabWorld

beforeEach(() => {
  world = new TabWorld()
})

/** Two tabs of a session whose access token is due. The first one has begun to claim the lease. */
async function openTabs() {
  const [a, b] = [world.tab('a'), world.tab('b')]
  await a.start(loggedIn, world.clock.now())
  await world.clock.run(59_000)
  const refresh = a.fresh()
  await world.clock.run(50)
  expect(world.storedOf('b').get('k lease')?.value).toMatch(/ 1$/)
  return { a, b, refresh }
}

/** The rotation of a refresh that runs; null: it has not ended. */
async function rotationAfter(ms: number, refresh: Promise<{ rotation: number }>) {
  const rotation = refresh.then((session) => session.rotation)
  await world.clock.run(ms)
  return Promise.race([rotation, Promise.resolve(null)])
}

it('a page that goes while it claims the lease leaves it to the others at once', async () => {
  const { a, b, refresh } = await openTabs()
  // The call of a page that is gone.
  refresh.catch(() => undefined)
  await a.leave()
  world.kill('a')
  expect(await rotationAfter(600, b.fresh())).toBe(1)
  expect(world.service.exchanged).toEqual(['r0'])
})

it('a page that comes back claims the lease again', async () => {
  const { a, refresh } = await openTabs()
  await a.leave()
  expect(world.storedOf('a').get('k lease')?.value).toBeNull()
  await a.comeBack()
  expect(await rotationAfter(1_000, refresh)).toBe(1)
})
