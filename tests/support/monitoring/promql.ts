import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'

/** A metric in an expression, with its label matchers. */
export type Selector = { metric: string; labels: string[]; equal: [label: string, value: string][] }

/** The labels by which selected metrics are grouped or joined. */
export type Grouping = { labels: string[]; metrics: string[] }

export type Expression = { selectors: Selector[]; groupings: Grouping[] }

/** Parses PromQL like Prometheus. Throws for invalid expressions. */
export function readPromql(expr: string): Expression {
  const root = parser.parse(expr).topNode
  const broken = nodesOf(root, '⚠')[0]
  if (broken) throw new Error(`not PromQL at ${broken.from}: ${expr}`)
  const text = (node: SyntaxNode) => expr.slice(node.from, node.to)
  const selectors = (within: SyntaxNode): Selector[] =>
    nodesOf(within, 'VectorSelector').map((node) => selectorOf(node, text))
  const groupings = nodesOf(root, 'GroupingLabels').map((node) => ({
    labels: nodesOf(node, 'LabelName').map(text),
    metrics: selectors(groupedBy(node)).map(({ metric }) => metric),
  }))
  return { selectors: selectors(root), groupings }
}

function selectorOf(node: SyntaxNode, text: (node: SyntaxNode) => string): Selector {
  const name = node.getChild('Identifier')
  if (name === null) throw new Error(`a selector must name its metric: ${text(node)}`)
  const matchers = nodesOf(node, 'UnquotedLabelMatcher').map((matcher) => {
    const [label, , value] = [0, 1, 2].map((nth) => childrenOf(matcher)[nth])
    if (!label || !value) throw new Error(`not a matcher: ${text(matcher)}`)
    const isEqual = nodesOf(matcher, 'EqlSingle').length > 0
    return { label: text(label), value: text(value).slice(1, -1), isEqual }
  })
  return {
    metric: text(name),
    labels: matchers.map(({ label }) => label),
    equal: matchers.filter(({ isEqual }) => isEqual).map(({ label, value }) => [label, value]),
  }
}

/** Returns the node to which the labels apply: the aggregation, or both sides of the operator. */
function groupedBy(labels: SyntaxNode): SyntaxNode {
  let node: SyntaxNode = labels
  while (node.name !== 'AggregateExpr' && node.name !== 'BinaryExpr' && node.parent) {
    node = node.parent
  }
  return node
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child)
  return children
}

function nodesOf(root: SyntaxNode, name: string): SyntaxNode[] {
  const found = root.name === name ? [root] : []
  return [...found, ...childrenOf(root).flatMap((child) => nodesOf(child, name))]
}
