import { expect, it } from '@jest/globals'
import { asUserName } from '@surehook/contracts/http/data/as-user'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { managementCaller } from './management-caller.ts'

const calling = (headers: Record<string, string>) => {
  const identity = { projectId: 'shop', environment: 'master', tokenId: 't' }
  const caller = managementCaller(
    { authorizeManagement: async () => identity },
    { charge: async () => undefined },
  )
  return caller({ req: { headers }, right: 'webhooks' } as unknown as RequestContext)
}

it('refuses to show what a user sees: it would show what all may see', async () => {
  expect(await calling({})).toMatchObject({ projectId: 'shop' })
  const name = asUserName.toLowerCase()
  for (const id of ['0199aaaa-0000-7000-8000-000000000001', '']) {
    await expect(calling({ [name]: id })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      violations: [{ field: asUserName }],
    })
  }
})
