import { findHelm } from '../../scripts/src/deploy/helm-tools.ts'

/** Jest's global set-up: every test of the chart calls Helm, and each would build a missing one. */
export default async function buildHelm() {
  await findHelm()
}
