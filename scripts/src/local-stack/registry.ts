import { answersOk } from '../lib/http-probe.ts'
import { startProcess } from '../lib/managed-process.ts'
import { type Component, type ComponentOptions, environment } from './component.ts'
import { jvmFlags } from './java.ts'
import { fetchWithMaven } from './maven.ts'

export async function startRegistry(options: ComponentOptions): Promise<Component> {
  const { dir, port, owner } = options
  const home = await fetchWithMaven({ name: 'registry', goal: 'unpack', log: owner.log })
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`
  const marker = `-Dsurehook.dir=${dir}`
  const process = await startProcess(
    {
      name: 'registry',
      command: 'java',
      args: [
        '-Xms32m',
        '-Xmx192m',
        ...jvmFlags,
        marker,
        '-Dquarkus.http.host=127.0.0.1',
        `-Dquarkus.http.port=${port}`,
        // Messages contain schema ids, which must stay the same after a restart. The default is
        // in-memory storage, and H2 by default writes half a second late.
        `-Dquarkus.datasource.jdbc.url=jdbc:h2:file:${dir}/registry/schemas;WRITE_DELAY=0`,
        '-jar',
        `${home}/apicurio-registry-app-2.6.13.Final-runner.jar`,
      ],
      marker,
      logFile: `${dir}/registry.log`,
      stopSignal: 'SIGTERM',
      isReady: () => answersOk(`${url}/subjects`),
      readyTimeoutMs: 90_000,
      keepAlive: options.keepAlive,
      ...environment(options),
    },
    owner,
  )
  return { url, process }
}
