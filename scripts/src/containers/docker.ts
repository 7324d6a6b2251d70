import type { ContainerRuntimeClient } from 'testcontainers'

export type Docker = {
  client: ContainerRuntimeClient
  /** The host of the containers' published ports. */
  host: string
}

/** Returns the Docker that testcontainers finds. Throws an explanation if none answers. */
export async function requireDocker(): Promise<Docker> {
  // Loaded on demand, because it takes most of a second.
  const { getContainerRuntimeClient } = await import('testcontainers')
  try {
    const client = await getContainerRuntimeClient()
    const { host } = client.info.containerRuntime
    // A numeric address, because `localhost` may resolve to an IPv6 address without open ports.
    return { client, host: host === 'localhost' ? '127.0.0.1' : host }
  } catch (err) {
    throw new Error(
      'No Docker answers, which TEST_INFRA=containers needs: start it (or name it in ' +
        'DOCKER_HOST), or take TEST_INFRA=local',
      { cause: err },
    )
  }
}

/** The label of every container of a stack; its value is the stack's id. */
export const stackLabel = 'surehook.stack'

/** Removes every container of the stack with its data, in any state. */
export async function removeContainersOf(stackId: string, { client }: Docker): Promise<void> {
  const { dockerode } = client.container
  const filters = { label: [`${stackLabel}=${stackId}`] }
  const found = await dockerode.listContainers({ all: true, filters })
  await Promise.all(
    found.map(async ({ Id: id }) => {
      try {
        await dockerode.getContainer(id).remove({ force: true, v: true })
      } catch (err) {
        // Another process has removed it or is removing it.
        if (![404, 409].includes((err as { statusCode?: number }).statusCode ?? 0)) throw err
      }
    }),
  )
}
