/** The addresses of the components that services need. */
export type Endpoints = {
  databaseUrl: string
  /** host:port, comma separated. */
  kafkaBrokers: string
  schemaRegistryUrl: string
  redisUrl: string
}
