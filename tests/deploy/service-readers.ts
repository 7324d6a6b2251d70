import * as auth from '../../services/auth-service/src/config.ts'
import * as data from '../../services/data-api/src/config.ts'
import * as gateway from '../../services/gateway/src/config.ts'
import * as source from '../../services/postgres-source/src/config.ts'
import * as single from '../../services/single-process/src/config.ts'
import * as api from '../../services/webhook-api/src/config.ts'
import * as dispatcher from '../../services/webhook-dispatcher/src/config.ts'
import * as matcher from '../../services/webhook-matcher/src/config.ts'

type Reader = {
  readConfig(env: NodeJS.ProcessEnv): object
  Env: { shape: object }
}

/** The services' own functions that read their configuration. */
export const readers: Readonly<Record<string, Reader>> = {
  'auth-service': auth,
  'data-api': data,
  gateway,
  'postgres-source': source,
  'webhook-api': api,
  'webhook-dispatcher': dispatcher,
  'webhook-matcher': matcher,
}

export const services = Object.keys(readers)

/** Returns every variable that a service reads. */
export const variablesOf = (service: string): readonly string[] =>
  Object.keys(readers[service]?.Env.shape ?? {})

/** Reads the configuration of the process that holds all services. */
export const readSingleConfig = single.readConfig

/** The dispatcher's grace period follows from its configuration. */
export const dispatcherGraceMs = (env: NodeJS.ProcessEnv) => dispatcher.readConfig(env).graceMs
