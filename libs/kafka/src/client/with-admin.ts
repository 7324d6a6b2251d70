import type { Admin, Kafka } from 'kafkajs'

/** Gives `ask` a connected admin client, and disconnects it whatever happens. */
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
