import type { AdminGate } from '@surehook/access/admin-gate'
import {
  getInstallationHealth,
  listRunningJobs,
} from '@surehook/contracts/http/webhooks/installation'
import { mount } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Router } from 'express'
import { type HealthDeps, healthReader } from './read-health.ts'
import { type JobsDeps, jobsReader } from './running-jobs.ts'

/** Routes for the administrator of the platform; they cover all tenants. */
export function installationRoutes({
  admit,
  ...deps
}: HealthDeps & JobsDeps & { admit: AdminGate }) {
  const authorize = ({ req }: RequestContext) => admit(req)
  const [readHealth, readJobs] = [healthReader(deps), jobsReader(deps)]
  return (router: Router): void => {
    mount(router, getInstallationHealth, { authorize, handle: readHealth })
    mount(router, listRunningJobs, { authorize, handle: readJobs })
  }
}
