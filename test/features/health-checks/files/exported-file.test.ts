import { describe, expect, it } from 'vitest'
import {
  formatExportHeader,
  formatExportRows,
} from '../../../../src/features/health-checks/files/export-checks.ts'
import { planFile } from '../../../../src/features/health-checks/files/plan.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { createKnownAddresses } from '../../../../src/features/health-checks/rows/known-addresses.ts'
import type { HealthCheck } from '../../../../src/service/health-checks.ts'
import { createClient, PRODUCTION } from '../../../service/vendor.ts'
import { EMPTY_STATE } from '../empty-state.ts'
import { checkNamed, startListing } from '../shifting-listing.ts'

/** Plans the import of an exported file, edited or not, for a check with these fields. */
async function planImport(fields: object, edit = (text: string) => text) {
  const row = { ...checkNamed('web'), ...fields }
  await using vendor = await startListing({ reads: [{ pages: [[row]], totals: [1] }], details: [row] })
  await using service = createClient(vendor.url)
  const api = service.with(PRODUCTION)
  const { results } = await api.healthChecks.list()
  const exported = results.map((check: HealthCheck) => ({ check, alerts: undefined }))
  const text = formatExportHeader(false) + formatExportRows(exported)
  const deps = { knownAddresses: createKnownAddresses(EMPTY_STATE, { production: 'none', ote: 'none' }) }
  const context = {
    workspaceId: 'T1',
    environment: 'production' as const,
    now: new Date(),
    api: async () => api,
  }
  return await planFile(deps, context, await readFile(Buffer.from(edit(text))))
}

describe('an exported file', () => {
  it.each([
    { checkKind: 'a long name', fields: { name: 'n'.repeat(300) } },
    { checkKind: 'port 0', fields: { port: 0 } },
    { checkKind: 'an unknown protocol', fields: { protocol: 'ICMP', verify_ssl: true } },
    { checkKind: 'an invalid target', fields: { target: 'not a target' } },
    { checkKind: 'a setting of another protocol', fields: { protocol: 'TCP', verify_ssl: true } },
  ])('doesn’t change a check with $checkKind if it is imported unedited', async ({ fields }) => {
    expect(await planImport(fields)).toMatchObject({ steps: [], unchangedCount: 1, bad: [] })
  })

  it('is validated like any other file if it is edited', async () => {
    const { steps, bad } = await planImport({ port: 0 }, (text) => text.replace('60', '30'))
    expect(steps).toEqual([])
    expect(bad).toMatchObject([{ column: 'port' }])
  })
})
