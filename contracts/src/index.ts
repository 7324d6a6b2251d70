export * from './events.ts'
export * from './problem.ts'
export * from './topics.ts'
