export type Tenant = { projectId: string; environment: string }
