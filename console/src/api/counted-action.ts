/** How far a count is. */
export type CountQuery = { data: object | undefined; error: unknown }

/** The button of a dialog that counts first: nobody confirms a number that is not there yet. */
export function countedAction(action: string, { data, error }: CountQuery) {
  if (data !== undefined) return { action, isReady: true }
  if (error === null) return { action, isReady: false }
  return { action: `${action} without a count`, isReady: true }
}
