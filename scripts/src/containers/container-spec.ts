/** The address of a container's port, as seen from here. */
export type Address = { host: string; port: number }

/** A part of the stack as a container. Its address is known before it starts. */
export type ContainerSpec = {
  /** The port inside the container. */
  port: number
  env?: Record<string, string>
  command?: string[]
  isReady: (at: Address) => Promise<boolean>
  readyTimeoutMs: number
  url: string
}

export type SpecOf = (at: Address) => ContainerSpec | Promise<ContainerSpec>
