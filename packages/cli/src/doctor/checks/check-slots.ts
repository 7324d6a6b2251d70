import { capturingServices } from '@surehook/change-capture/slot/capturing-services'
import type { Finding } from '@surehook/diagnosis/finding'
import { judgeSlot } from '@surehook/diagnosis/postgres/judge-slots'
import { readSlots } from '@surehook/diagnosis/postgres/read-slots'
import type { Target } from '../target.ts'
import { withPostgres } from '../with-postgres.ts'

export async function checkSlots(target: Target): Promise<Finding[]> {
  const rows = await withPostgres(target, readSlots)
  return capturingServices.flatMap((service) => judgeSlot(service, rows))
}
