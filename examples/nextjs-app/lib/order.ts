export type Order = { id: string; customer: string; createdAt: string; updatedAt: string }
