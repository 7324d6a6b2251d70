import { describe, expect, it } from '@jest/globals'
import { differing } from './align-topics.ts'

const inForce = (config: Record<string, string>) => new Map(Object.entries(config))

describe('settings to change on an existing topic', () => {
  it('are those that differ', () => {
    const wanted = { 'cleanup.policy': 'compact', 'message.timestamp.type': 'LogAppendTime' }
    const found = inForce({ 'cleanup.policy': 'compact', 'message.timestamp.type': 'CreateTime' })
    expect(differing(wanted, found)).toEqual({ 'message.timestamp.type': 'LogAppendTime' })
  })

  it('extend a retention, and never shorten it', () => {
    const wanted = { 'retention.ms': '1000' }
    expect(differing(wanted, inForce({ 'retention.ms': '999' }))).toEqual(wanted)
    expect(differing(wanted, inForce({ 'retention.ms': '1001' }))).toEqual({})
    expect(differing(wanted, inForce({ 'retention.ms': '-1' }))).toEqual({})
  })

  it('extend and shorten other times', () => {
    const wanted = { 'min.compaction.lag.ms': '1000', 'max.compaction.lag.ms': '1000' }
    const found = { 'min.compaction.lag.ms': '604800000', 'max.compaction.lag.ms': '999' }
    expect(differing(wanted, inForce(found))).toEqual(wanted)
  })

  it('include an unlimited retention of the table', () => {
    const wanted = { 'retention.ms': '-1' }
    expect(differing(wanted, inForce({ 'retention.ms': '604800000' }))).toEqual(wanted)
    expect(differing(wanted, inForce({ 'retention.ms': '-1' }))).toEqual({})
  })

  it('are all of them if nothing is known', () => {
    expect(differing({ 'max.message.bytes': '1' }, inForce({}))).toEqual({
      'max.message.bytes': '1',
    })
  })
})
