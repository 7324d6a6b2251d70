import { inChosenNamespaces, namespaceVariable } from './namespaces.ts'

/** A Prometheus query of a panel. `legend` may contain labels: `{{topic}}`. */
export type Query = { expr: string; legend?: string }

export type Panel = {
  title: string
  /** What the panel shows, and what to do about it. */
  description?: string
  kind?: 'timeseries' | 'stat'
  /** A unit of Grafana. */
  unit?:
    | 'short'
    | 's'
    | 'bytes'
    | 'percentunit'
    | 'reqps'
    | 'ops'
    | 'dateTimeFromNow'
    | 'bool_on_off'
  /** The panel is red from this value on. */
  limit?: number
  queries: readonly Query[]
}

export type Row = { title: string; panels: readonly Panel[] }

export type Dashboard = { uid: string; title: string; description: string; rows: readonly Row[] }

const columns = 24
const datasource = { type: 'prometheus', uid: '${datasource}' }

/** Returns the JSON that Grafana reads from files. */
export function grafanaJson({ uid, title, description, rows }: Dashboard): object {
  return {
    uid,
    title: `Surehook: ${title}`,
    description,
    tags: ['surehook'],
    schemaVersion: 39,
    editable: false,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    links: [{ type: 'dashboards', tags: ['surehook'], title: 'Surehook', asDropdown: true }],
    templating: {
      list: [
        { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
        namespaceVariable,
      ],
    },
    panels: placed(rows),
  }
}

/** Places rows below each other, and the panels of each row side by side. */
function placed(rows: readonly Row[]): object[] {
  const panels: object[] = []
  let y = 0
  for (const { title, panels: inRow } of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: columns, h: 1 },
    })
    const w = Math.floor(columns / Math.min(inRow.length, 4))
    const h = inRow.every(({ kind }) => kind === 'stat') ? 4 : 8
    for (const [index, panel] of inRow.entries()) {
      const gridPos = { x: (index % 4) * w, y: y + 1 + Math.floor(index / 4) * h, w, h }
      panels.push({ id: panels.length + 1, gridPos, ...panelJson(panel) })
    }
    y += 1 + Math.ceil(inRow.length / 4) * h
  }
  return panels
}

function panelJson({ title, description, kind, unit = 'short', limit, queries }: Panel): object {
  const steps = [{ color: 'green', value: null }]
  return {
    type: kind ?? 'timeseries',
    title,
    ...(description !== undefined && { description }),
    datasource,
    fieldConfig: {
      defaults: {
        unit,
        ...(unit === 'percentunit' && kind !== 'stat' && { min: 0 }),
        thresholds: {
          mode: 'absolute',
          steps: limit === undefined ? steps : [...steps, { color: 'red', value: limit }],
        },
        ...(limit !== undefined &&
          kind !== 'stat' && { custom: { thresholdsStyle: { mode: 'line' } } }),
      },
      overrides: [],
    },
    options:
      kind === 'stat'
        ? { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'background' }
        : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource,
      expr: inChosenNamespaces(expr),
      legendFormat: legend ?? '__auto',
    })),
  }
}
