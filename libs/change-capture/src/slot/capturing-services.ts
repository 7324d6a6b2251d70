/** Services with tables. Each captures its writes through a slot of its own. */
export const capturingServices = ['auth-service', 'data-api', 'webhook-api'] as const
