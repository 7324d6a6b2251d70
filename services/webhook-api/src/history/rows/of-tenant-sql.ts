/**
 * Selects the deliveries of a tenant, by the placeholders of its names. The first expression must
 * equal that of the indexes in the first migration.
 */
export const ofTenantSql = (project: string, environment: string): string =>
  `hashtext(project_id || '/' || environment) = hashtext(${project}::text || '/' || ${environment}::text)
   and project_id = ${project} and environment = ${environment}`
