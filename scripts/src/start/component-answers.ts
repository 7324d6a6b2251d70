import { answersOk } from '../lib/http-probe.ts'
import { askPort } from '../lib/ports.ts'
import type { ComponentName } from '../local-stack/component.ts'

const probes: Readonly<Record<ComponentName, (port: number) => Promise<boolean>>> = {
  kafka: async (port) => (await askPort(port, apiVersions)) !== null,
  registry: (port) => answersOk(`http://127.0.0.1:${port}/apis/ccompat/v7/subjects`),
  // PostgreSQL answers with an error while it starts or recovers, and otherwise asks for the
  // password.
  postgres: async (port) =>
    (await askPort(port, startupMessage()))?.toString('latin1', 0, 1) === 'R',
  redis: async (port) => (await askPort(port, 'PING\r\n'))?.toString() === '+PONG\r\n',
}

/** Resolves to whether the server on the port is the component and accepts work. */
export function componentAnswers(name: ComponentName, port: number): Promise<boolean> {
  return probes[name](port)
}

// A request of ApiVersions v0 with correlation id 1 and an empty client id, which any client sends
// first.
const apiVersions = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0, 0])

function startupMessage(): Buffer {
  const parameters = Buffer.from('user\0postgres\0database\0surehook\0\0')
  const header = Buffer.alloc(8)
  header.writeInt32BE(header.length + parameters.length)
  header.writeInt32BE(0x0003_0000, 4)
  return Buffer.concat([header, parameters])
}
