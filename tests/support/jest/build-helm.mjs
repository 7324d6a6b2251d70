import { findHelm } from '../../../scripts/src/deploy/helm-tools.ts'

/**
 * Jest's global set-up: installs Helm once, because every test of the chart would otherwise do it.
 */
export default async function buildHelm() {
  await findHelm()
}
