import { randomBytes } from 'node:crypto'
import { putEnvironment } from '@surehook/contracts/http/admin/admin'
import { callOperation } from '../admin/call-operation.ts'
import { type ManagementClient, openManagementClient } from '../admin/management-client.ts'
import type { Platform } from '../lib/platform-client.ts'

/** A new project with a management token. Disposing it revokes the token. */
export type DemoTenant = ManagementClient & { readonly projectId: string }

const environment = 'master'

export async function openDemoTenant(platform: Platform): Promise<DemoTenant> {
  const project = `demo-${randomBytes(4).toString('hex')}`
  await callOperation(platform, putEnvironment, { params: { project, environment }, body: {} })
  const client = await openManagementClient(platform, { project, environment }, 'surehook demo')
  return { projectId: project, ...client }
}
