import { describe, expect, it } from '@jest/globals'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { hash as argon2Hash } from 'argon2'
import bcrypt from 'bcrypt'
import { createHashQueue, type HashQueue } from './hash-queue.ts'
import { hashOfNobody, hashPassword, ownScheme, workOf } from './password-hash.ts'
import { createPasswords, remainingSchemes } from './passwords.ts'

const password = 'Größe ändern 7'
const errors: unknown[][] = []
const log = { error: (...entry: unknown[]) => void errors.push(entry) } as unknown as Logger
const queue = createHashQueue({ concurrency: 1, maxWaitMs: 10_000, metrics: createMetrics('test') })
const passwords = createPasswords(queue, log)
const line = ['tenant', 'network'] as const
const check = (passwordHash: string | null, given = password, costliest: string | null = null) =>
  passwords.check({ user: { id: 'u-1', passwordHash }, password: given, costliest, line })
const nothing = { matches: false, rehashed: null }

describe('a password', () => {
  it('is the same in every form of Unicode', async () => {
    const hash = await passwords.hash(password.normalize('NFD').replace(' ', '\u00a0'), line)
    expect(await check(hash)).toEqual({ matches: true, rehashed: null })
    expect(await check(hash, password.normalize('NFD'))).toEqual({ matches: true, rehashed: null })
    expect(await check(hash, password.toUpperCase())).toEqual(nothing)
  })

  it.each([
    ['argon2id', (text: string) => argon2Hash(text, { memoryCost: 4096, timeCost: 1 })],
    ['argon2id like ours', hashPassword],
    ['bcrypt', (text: string) => bcrypt.hash(text, 4)],
  ])('matches an imported hash of it as typed, and is then normal: %s', async (_, hash) => {
    const typed = password.normalize('NFD').replace(' ', '\u00a0')
    const { matches, rehashed } = await check(await hash(typed), typed)
    expect(matches).toBe(true)
    expect(await check(rehashed)).toEqual({ matches: true, rehashed: null })
    expect(await check(rehashed, typed)).toEqual({ matches: true, rehashed: null })
    expect(await check(await hash(typed))).toEqual(nothing)
    const user = { id: 'u-1', passwordHash: await hash(typed) }
    expect(await passwords.isSame({ user, password: typed, costliest: null, line })).toBe(true)
  })

  it('charges the queue for what it costs', async () => {
    const charged: (number | undefined)[] = []
    const counting: HashQueue = {
      ...queue,
      run(job) {
        charged.push(job.hashes)
        return queue.run(job)
      },
    }
    const counted = createPasswords(counting, log)
    const tried = (costliest: string | null, given: string) =>
      counted.check({ user: null, password: given, costliest, line })
    await tried(null, password)
    await tried('$2b$10$', password)
    await tried('$2b$10$', password.normalize('NFD'))
    expect(charged).toEqual([1, 3, 6])
  })

  it('matches no unreadable hash, and does not appear in the log', async () => {
    const digest = 'c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g'
    expect(await check(`$argon2id$v=19$m=19456,t=2,p=1,$${digest}`)).toEqual(nothing)
    expect(errors).toEqual([
      [{ userId: 'u-1', reason: expect.any(String) }, 'password.hash.unreadable'],
    ])
    expect(JSON.stringify(errors)).not.toContain(digest.slice(-20))
  })

  it('that matches is rehashed, unless bcrypt read only a part of it', async () => {
    const long = `${'a'.repeat(71)}é and more`
    expect(await check(await bcrypt.hash(long, 4), long)).toEqual({ matches: true, rehashed: null })
    const { matches, rehashed } = await check(await bcrypt.hash(password, 4))
    expect([matches, await check(rehashed)]).toEqual([true, { matches: true, rehashed: null }])
  })

  it('that is wrong takes one turn of the queue, however many hashes it needs', async () => {
    let turns = 0
    const counting: HashQueue = {
      ...queue,
      run(work) {
        turns += 1
        return queue.run(work)
      },
    }
    const counted = createPasswords(counting, log)
    expect(await counted.check({ user: null, password, costliest: '$2b$04$', line })).toEqual(
      nothing,
    )
    const user = { id: 'u-1', passwordHash: await bcrypt.hash('another', 4) }
    expect(await counted.check({ user, password, costliest: '$2b$04$', line })).toEqual(nothing)
    expect(turns).toBe(2)
  })

  it('that is wrong costs a default hash plus the costliest imported one', () => {
    const ours = hashOfNobody(ownScheme)
    const [cheap, like, dear] = ['$2b$04$', '$2b$09$', '$2b$12$']
    expect(remainingSchemes(null, null)).toEqual([ownScheme])
    expect(remainingSchemes(ours, null)).toEqual([])
    for (const costliest of [cheap, like, dear]) {
      expect(remainingSchemes(null, costliest)).toEqual([ownScheme, costliest])
      expect(remainingSchemes(ours, costliest)).toEqual([costliest])
      expect(remainingSchemes(costliest, costliest)).toEqual([ownScheme])
    }
    expect(remainingSchemes(cheap, dear)).toEqual([ownScheme, dear])
    expect(remainingSchemes(cheap, like)).toEqual([ownScheme, like])
    // For every other imported hash, the total cost stays within a factor of 1.62 of the target.
    const target = workOf(ownScheme) + workOf(dear)
    for (let rounds = 4; rounds <= 12; rounds++) {
      const own = `$2b$${String(rounds).padStart(2, '0')}$`
      const work = [own, ...remainingSchemes(own, dear)].reduce((sum, one) => sum + workOf(one), 0)
      expect(Math.max(work / target, target / work)).toBeLessThan(1.62)
    }
  })
})
