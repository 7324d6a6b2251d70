import { expect, it } from '@jest/globals'
import { pino } from 'pino'
import type { Kafka } from './surface.ts'
import { TopicCluster } from './topic-cluster.ts'

/** The events of kafkajs clusters, each numbered from 1. */
let events: string[]

function openTopicCluster(): TopicCluster {
  events = []
  let opened = 0
  const createCluster = () => {
    const number = ++opened
    return {
      connect: async () => void events.push(`${number} connected`),
      addMultipleTargetTopics: async (topics: string[]) => void events.push(topics.join()),
      refreshMetadata: async () => {
        if (number === 2) throw new Error('away')
        events.push(`${number} refreshed`)
      },
      disconnect: async () => void events.push(`${number} closed`),
    }
  }
  const kafka = { [Symbol('private:Kafka:createCluster')]: createCluster } as unknown as Kafka
  const log = pino({ level: 'silent' })
  return new TopicCluster({ kafka, topics: ['a', 'b'], name: 'test', log })
}

it('connects once for all questions', async () => {
  const cluster = openTopicCluster()
  expect(events).toEqual([])
  const [one, other] = [cluster.connected(), cluster.connected()]
  expect(await one).toBe(await other)
  await cluster[Symbol.asyncDispose]()
  expect(events).toEqual(['1 connected', 'a,b', '1 closed'])
})

it('connects again after a drop, and a second drop of the old one changes nothing', async () => {
  const cluster = openTopicCluster()
  const failed = cluster.connected()
  await cluster.drop(failed)
  const next = cluster.connected()
  await cluster.drop(failed)
  expect(await cluster.connected()).toBe(await next)
  expect(events).toEqual(['1 connected', 'a,b', '1 closed', '2 connected', 'a,b'])
})

it('refreshes only the current connections, and closes them if that fails', async () => {
  const cluster = openTopicCluster()
  const first = cluster.connected()
  await cluster.refresh(first)
  await cluster.drop(first)
  const second = cluster.connected()
  await cluster.refresh(first)
  await second
  events = []
  await cluster.refresh(second)
  expect(events).toEqual(['2 closed'])
  expect(cluster.connected()).not.toBe(second)
})
