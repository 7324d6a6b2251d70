/** Request headers that a span of a request shows, by the name of their attribute. */
export const tracedHeaders = {
  'surehook.project.id': 'x-project-id',
  'surehook.environment': 'environment',
} as const
