/** Where a container's port is reached from here. */
export type Address = { host: string; port: number }

/** A part of the stack, as a container at an address that is known before it starts. */
export type ContainerSpec = {
  /** In the container. */
  port: number
  env?: Record<string, string>
  command?: string[]
  isReady: (at: Address) => Promise<boolean>
  readyTimeoutMs: number
  url: string
}

export type SpecOf = (at: Address) => ContainerSpec | Promise<ContainerSpec>
