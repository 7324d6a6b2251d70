/** Runs one task of a name at a time, in all tabs. */
export type Lock = <T>(name: string, task: () => Promise<T>) => Promise<T>
