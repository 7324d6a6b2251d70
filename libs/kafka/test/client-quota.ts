import { once } from 'node:events'
import { connect } from 'node:net'

const alterClientQuotas = 49

function text(value: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeInt16BE(Buffer.byteLength(value))
  return Buffer.concat([length, Buffer.from(value)])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function float64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

/**
 * Limits the bytes per second that the broker sends to consumers of a client id. kafkajs lacks this
 * request: AlterClientQuotas version 0,
 * https://kafka.apache.org/protocol#The_Messages_AlterClientQuotas.
 */
export async function limitConsumers(clientId: string, bytesPerSecond: number): Promise<void> {
  const [host = '', port = ''] = (process.env['TEST_KAFKA_BROKERS'] ?? '').split(':')
  const request = Buffer.concat([
    Buffer.from([0, alterClientQuotas, 0, 0]),
    int32(1),
    text('test'),
    ...[int32(1), int32(1), text('client-id'), text(clientId)],
    ...[int32(1), text('consumer_byte_rate'), float64(bytesPerSecond), Buffer.from([0])],
    Buffer.from([0]),
  ])
  const socket = connect(Number(port), host)
  await once(socket, 'connect')
  socket.write(Buffer.concat([int32(request.length), request]))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  // The answer has size, correlation id, throttle time and number of entries, then the first
  // entry's error.
  const errorCode = answer.readInt16BE(16)
  if (errorCode !== 0) throw new Error(`The quota was refused: ${errorCode}`)
}
