export const deliveryPath = (webhookId: string, id: string) =>
  `/deliveries/${webhookId}/${encodeURIComponent(id)}`
