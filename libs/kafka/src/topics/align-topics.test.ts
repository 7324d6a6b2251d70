import { describe, expect, it } from '@jest/globals'
import { differing } from './align-topics.ts'

const inForce = (config: Record<string, string>) => new Map(Object.entries(config))

describe('what is set on a topic that exists', () => {
  it('is what differs', () => {
    const wanted = { 'cleanup.policy': 'compact', 'message.timestamp.type': 'LogAppendTime' }
    const found = inForce({ 'cleanup.policy': 'compact', 'message.timestamp.type': 'CreateTime' })
    expect(differing(wanted, found)).toEqual({ 'message.timestamp.type': 'LogAppendTime' })
  })

  it('keeps for longer, and never for shorter', () => {
    const wanted = { 'retention.ms': '1000' }
    expect(differing(wanted, inForce({ 'retention.ms': '999' }))).toEqual(wanted)
    expect(differing(wanted, inForce({ 'retention.ms': '1001' }))).toEqual({})
    expect(differing(wanted, inForce({ 'retention.ms': '-1' }))).toEqual({})
  })

  it('keeps for ever what the table keeps for ever', () => {
    const wanted = { 'retention.ms': '-1' }
    expect(differing(wanted, inForce({ 'retention.ms': '604800000' }))).toEqual(wanted)
    expect(differing(wanted, inForce({ 'retention.ms': '-1' }))).toEqual({})
  })

  it('is all of it where nothing is known', () => {
    expect(differing({ 'max.message.bytes': '1' }, inForce({}))).toEqual({
      'max.message.bytes': '1',
    })
  })
})
