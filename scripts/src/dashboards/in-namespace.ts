type Target = { expr: string }

export type Written = {
  templating: { list: object[] }
  panels: { targets?: Target[] }[]
}

const chosen = 'namespace=~"$namespace"'
const metric = /\b(?:surehook[_:]|process_|nodejs_)[a-zA-Z0-9_:]+\b/g

const namespaces = {
  name: 'namespace',
  label: 'Namespace',
  type: 'query',
  datasource: { type: 'prometheus', uid: '${datasource}' },
  query: 'label_values(surehook_build_info, namespace)',
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  // Also matches series without the label.
  allValue: '.*',
  current: { text: ['All'], value: ['$__all'] },
}

/**
 * Adapts a dashboard to a Prometheus with several installations: each panel shows the chosen
 * namespaces.
 */
export function inNamespace(dashboard: Written): Written {
  const { templating, panels } = dashboard
  return {
    ...dashboard,
    templating: { ...templating, list: [...templating.list, namespaces] },
    panels: panels.map((panel) => ({
      ...panel,
      ...(panel.targets && { targets: panel.targets.map(ofChosen) }),
    })),
  }
}

/**
 * Joins the new selector with an existing one, which would otherwise follow it as a second pair of
 * braces.
 */
function ofChosen(target: Target): Target {
  const named = target.expr.replaceAll(metric, (name) => `${name}{${chosen}}`)
  return { ...target, expr: named.replaceAll(`{${chosen}}{`, `{${chosen},`) }
}
