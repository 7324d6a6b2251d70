import type { TenantSlots } from '@surehook/access/limits/tenant-slots'
import type { ManagementIdentity, PlatformAccess } from '@surehook/access/management-access'
import {
  deleteSource,
  getSource,
  listSources,
  putSource,
  type SourceInput,
} from '@surehook/contracts/http/sources'
import type { Operation } from '@surehook/contracts/operation'
import { certificatesOf } from '@surehook/service-kit/config/certificates'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { AppError, invalid } from '@surehook/service-kit/errors'
import { type Handle, mount } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import {
  AddressBlockedError,
  type AddressGuard,
} from '@surehook/service-kit/outbound/address-guard'
import type { Router } from 'express'
import type { Pool } from 'pg'
import { parseSourceUrl, type SourceAddress } from '../connection/source-url.ts'
import { type SourceRow, tenantOf, urlContext } from '../source-row.ts'
import type { SourceTables } from '../tables/source-tables.ts'
import type { DropSource } from './drop-source.ts'
import { findSource, findSources, storeSource } from './source-store.ts'
import { sourceView } from './source-view.ts'

export type SourceRoutesDeps = {
  pool: Pool
  slots: TenantSlots
  box: SecretBox
  guard: AddressGuard
  access: Pick<PlatformAccess, 'originOf'>
  authorize: (context: RequestContext) => Promise<ManagementIdentity>
  tables: Pick<SourceTables, 'of'>
  drop: DropSource
}

export function sourceRoutes(deps: SourceRoutesDeps): (router: Router) => void {
  const { pool, slots, box, access, authorize, drop } = deps
  return (router) => {
    const serve = <Op extends Operation>(operation: Op, handle: Handle<Op, ManagementIdentity>) =>
      mount(router, operation, {
        authorize,
        async handle(input, ctx) {
          await access.originOf(ctx.auth.projectId, ctx.auth.environment)
          return handle(input, ctx)
        },
      })
    const shown = (row: SourceRow) => {
      const { name } = row
      const address = addressOf(box.open(row.url, urlContext(row.id)))
      return sourceView(row, { address, tables: deps.tables.of({ ...tenantOf(row), name }) })
    }
    serve(putSource, async ({ params, body }, { auth }) => {
      check(body, deps.guard)
      const put = { ...tenantPart(auth), name: params.source, input: body }
      return shown(await slots.run(auth, () => storeSource(pool, box, put)))
    })
    serve(listSources, async (_input, { auth }) => {
      const rows = await slots.run(auth, () => findSources(pool, auth))
      return { sources: rows.map(shown) }
    })
    const required = async (auth: ManagementIdentity, name: string) => {
      const row = await slots.run(auth, () => findSource(pool, { ...tenantPart(auth), name }))
      if (row === null) throw new AppError('NOT_FOUND', 'There is no such source')
      return row
    }
    serve(getSource, async ({ params }, { auth }) => shown(await required(auth, params.source)))
    serve(deleteSource, async ({ params }, { auth }) => drop(await required(auth, params.source)))
  }
}

const tenantPart = ({ projectId, environment }: ManagementIdentity) => ({ projectId, environment })

function addressOf(url: string): SourceAddress {
  const parsed = parseSourceUrl(url)
  if ('fault' in parsed) throw new Error(`The stored URL ${parsed.fault}`)
  return parsed.address
}

function check({ url, ca }: SourceInput, guard: AddressGuard): void {
  if (ca !== undefined && !hasCertificates(ca)) {
    throw invalid([{ field: 'ca', message: 'must be certificates in PEM', rule: 'invalid_format' }])
  }
  const parsed = parseSourceUrl(url)
  if ('fault' in parsed) {
    throw invalid([{ field: 'url', message: parsed.fault, rule: 'invalid_format' }])
  }
  try {
    guard.checkLiteral(parsed.address.host)
  } catch (err) {
    if (!(err instanceof AddressBlockedError)) throw err
    const message = 'must not name an address of a private network'
    throw invalid([{ field: 'url', message, rule: 'invalid_value' }])
  }
}

function hasCertificates(text: string): boolean {
  try {
    return certificatesOf(text).length > 0
  } catch {
    return false
  }
}
