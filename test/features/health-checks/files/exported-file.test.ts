import { describe, expect, it } from 'vitest'
import {
  formatExportHeader,
  formatExportRows,
} from '../../../../src/features/health-checks/files/export-checks.ts'
import { planFile } from '../../../../src/features/health-checks/files/plan.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { createAddressListings } from '../../../../src/features/health-checks/rows/address-listings.ts'
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
  const parts = { addressListings: createAddressListings(EMPTY_STATE) }
  const context = { workspaceId: 'T1', now: new Date(), api: async () => api }
  return await planFile(parts, context, await readFile(Buffer.from(edit(text))), { deletes: true })
}

describe('an exported file', () => {
  it.each([
    { of: 'a long name', parts: { name: 'n'.repeat(300) } },
    { of: 'port 0', parts: { port: 0 } },
    { of: 'an unknown protocol', parts: { protocol: 'ICMP', verify_ssl: true } },
    { of: 'an invalid target', parts: { target: 'not a target' } },
    { of: 'a setting of another protocol', parts: { protocol: 'TCP', verify_ssl: true } },
  ])('doesn’t change a check with $of if it is imported unedited', async ({ parts }) => {
    expect(await planImport(parts)).toMatchObject({ steps: [], unchangedCount: 1, bad: [] })
  })

  it('is validated like any other file if it is edited', async () => {
    const { steps, bad } = await planImport({ port: 0 }, (text) => text.replace('60', '30'))
    expect(steps).toEqual([])
    expect(bad).toMatchObject([{ column: 'port' }])
  })
})
