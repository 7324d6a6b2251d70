/** The consumer groups that others follow. Each has the name of its service. */
export const matcherGroup = 'webhook-matcher'
export const dispatcherGroup = 'webhook-dispatcher'
/** Writes the history. */
export const historyGroup = 'webhook-api'
