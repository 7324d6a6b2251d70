import type { Admin, Kafka } from './surface.ts'

/** Calls `ask` with a connected admin client, and then disconnects it, also after an error. */
export async function withAdmin<T>(
  kafka: Pick<Kafka, 'admin'>,
  ask: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = kafka.admin()
  try {
    await admin.connect()
    return await ask(admin)
  } finally {
    await admin.disconnect()
  }
}
