/** Where the parts that services need are reached. */
export type Endpoints = {
  databaseUrl: string
  /** host:port, comma separated. */
  kafkaBrokers: string
  schemaRegistryUrl: string
  redisUrl: string
}
