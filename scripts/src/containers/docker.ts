import type { ContainerRuntimeClient } from 'testcontainers'

export type Docker = {
  client: ContainerRuntimeClient
  /** Where the ports of containers are. */
  host: string
}

/** The Docker that testcontainers finds; throws a sentence when none answers. */
export async function requireDocker(): Promise<Docker> {
  // Loaded only by those who ask for containers: it takes most of a second.
  const { getContainerRuntimeClient } = await import('testcontainers')
  try {
    const client = await getContainerRuntimeClient()
    const { host } = client.info.containerRuntime
    // By its number: a name may lead to an IPv6 address first, at which no port is open.
    return { client, host: host === 'localhost' ? '127.0.0.1' : host }
  } catch (err) {
    throw new Error(
      'No Docker answers, which TEST_INFRA=containers needs: start it (or name it in DOCKER_HOST), or take TEST_INFRA=local',
      { cause: err },
    )
  }
}

/** Every container of a stack carries it, with the stack's id. */
export const stackLabel = 'surehook.stack'

/** Removes every container of the stack, whatever state it is in, with its data. */
export async function removeContainersOf(stackId: string, { client }: Docker): Promise<void> {
  const { dockerode } = client.container
  const filters = { label: [`${stackLabel}=${stackId}`] }
  const found = await dockerode.listContainers({ all: true, filters })
  await Promise.all(
    found.map(async ({ Id: id }) => {
      try {
        await dockerode.getContainer(id).remove({ force: true, v: true })
      } catch (err) {
        // Somebody else has removed it, or is at it.
        if (![404, 409].includes((err as { statusCode?: number }).statusCode ?? 0)) throw err
      }
    }),
  )
}
