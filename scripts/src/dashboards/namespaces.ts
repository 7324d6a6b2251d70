const chosen = 'namespace=~"$namespace"'
const metric = /\b(?:surehook[_:]|process_|nodejs_)[a-zA-Z0-9_:]+\b/g

/** The variable of a dashboard that chooses installations, if a Prometheus sees several. */
export const namespaceVariable = {
  name: 'namespace',
  label: 'Namespace',
  type: 'query',
  datasource: { type: 'prometheus', uid: '${datasource}' },
  query: 'label_values(surehook_build_info, namespace)',
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  // Also matches series without the label, as outside Kubernetes.
  allValue: '.*',
  current: { text: ['All'], value: ['$__all'] },
}

/** Limits each selector of an expression to the chosen namespaces. */
export function inChosenNamespaces(expr: string): string {
  const named = expr.replaceAll(metric, (name) => `${name}{${chosen}}`)
  // A selector that had braces has them twice now.
  return named.replaceAll(`{${chosen}}{`, `{${chosen},`)
}
