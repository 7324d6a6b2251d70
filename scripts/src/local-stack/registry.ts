import { answersOk } from '../lib/http-probe.ts'
import { type ProcessHandle, startProcess } from '../lib/processes/managed-process.ts'
import { classArchiveFlags } from './class-archive.ts'
import { type Component, type ComponentOptions, environment } from './component.ts'
import { jvmFlags } from './java.ts'
import { fetchWithMaven } from './maven.ts'

export async function startRegistry(options: ComponentOptions): Promise<Component> {
  const { log } = options.owner
  const home = await fetchWithMaven({ name: 'registry', goal: 'unpack', log })
  const archiveFlags = await classArchiveFlags({
    ...{ name: 'registry', home, log },
    start: (trial) => startServer({ ...trial, home }),
  })
  return {
    url: urlAt(options.port),
    process: await startServer({ ...options, home, archiveFlags }),
  }
}

const urlAt = (port: number) => `http://127.0.0.1:${port}/apis/ccompat/v7`

type Server = ComponentOptions & { home: string; archiveFlags: string[]; stopTimeoutMs?: number }

function startServer(server: Server): Promise<ProcessHandle> {
  const { dir, port, owner, home, archiveFlags } = server
  const marker = `-Dsurehook.dir=${dir}`
  return startProcess(
    {
      name: 'registry',
      command: 'java',
      args: [
        '-Xms32m',
        '-Xmn6m',
        '-Xmx192m',
        ...jvmFlags,
        ...archiveFlags,
        marker,
        '-Dquarkus.http.host=127.0.0.1',
        `-Dquarkus.http.port=${port}`,
        // Messages contain schema ids, which must stay the same after a restart. The default is
        // in-memory storage, and H2 by default writes half a second late.
        `-Dquarkus.datasource.jdbc.url=jdbc:h2:file:${dir}/registry/schemas;WRITE_DELAY=0`,
        // The default of 5 s ends the start on a busy machine.
        '-Dquarkus.datasource.jdbc.acquisition-timeout=2M',
        '-jar',
        `${home}/apicurio-registry-app-2.6.13.Final-runner.jar`,
      ],
      marker,
      logFile: `${dir}/registry.log`,
      stopSignal: 'SIGTERM',
      isReady: () => answersOk(`${urlAt(port)}/subjects`),
      readyTimeoutMs: 300_000,
      keepAlive: server.keepAlive,
      stopTimeoutMs: server.stopTimeoutMs,
      ...environment(server),
    },
    owner,
  )
}
