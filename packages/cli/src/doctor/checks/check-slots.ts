import type { Finding } from '@surehook/diagnosis/finding'
import { judgeSlot } from '@surehook/diagnosis/postgres/judge-slots'
import { readSlots } from '@surehook/diagnosis/postgres/read-slots'
import { databaseServices } from '../../prepare/prepare-database.ts'
import type { Target } from '../target.ts'
import { withPostgres } from '../with-postgres.ts'

export async function checkSlots(target: Target): Promise<Finding[]> {
  const rows = await withPostgres(target, readSlots)
  return databaseServices.flatMap((service) => judgeSlot(service, rows))
}
