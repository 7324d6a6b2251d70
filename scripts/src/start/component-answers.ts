import { answersOk } from '../lib/http-probe.ts'
import { askPort } from '../lib/ports.ts'
import type { ComponentName } from '../local-stack/component.ts'

const probes: Readonly<Record<ComponentName, (port: number) => Promise<boolean>>> = {
  kafka: async (port) => (await askPort(port, apiVersions)) !== null,
  registry: (port) => answersOk(`http://127.0.0.1:${port}/apis/ccompat/v7/subjects`),
  // While it starts or recovers it answers with an error; later it asks for the password.
  postgres: async (port) =>
    (await askPort(port, startupMessage()))?.toString('latin1', 0, 1) === 'R',
  redis: async (port) => (await askPort(port, 'PING\r\n'))?.toString() === '+PONG\r\n',
}

/** Whether what listens on the port is the component, and takes work. */
export function componentAnswers(name: ComponentName, port: number): Promise<boolean> {
  return probes[name](port)
}

// Version 0, correlation id 1, an empty client id: the first thing any client asks.
const apiVersions = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0, 0])

function startupMessage(): Buffer {
  const parameters = Buffer.from('user\0postgres\0database\0surehook\0\0')
  const header = Buffer.alloc(8)
  header.writeInt32BE(header.length + parameters.length)
  header.writeInt32BE(0x0003_0000, 4)
  return Buffer.concat([header, parameters])
}
