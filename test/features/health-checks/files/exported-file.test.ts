import { describe, expect, it } from 'vitest'
import { exportHead, exportRows } from '../../../../src/features/health-checks/files/export-checks.ts'
import { planFile } from '../../../../src/features/health-checks/files/plan.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { createAddressListings } from '../../../../src/features/health-checks/rows/address-listings.ts'
import type { HealthCheck } from '../../../../src/service/health-checks.ts'
import { clientOf, PRODUCTION } from '../../../service/vendor.ts'
import { NOTHING_KEPT } from '../nothing-kept.ts'
import { checkNamed, startListing } from '../shifting-listing.ts'

/** What importing an exported or an edited file would change for such a check. */
async function planned(of: object, edit = (text: string) => text) {
  const row = { ...checkNamed('web'), ...of }
  await using vendor = await startListing({ walks: [{ pages: [[row]], totals: [1] }], details: [row] })
  await using service = clientOf(vendor.url)
  const api = service.with(PRODUCTION)
  const { results } = await api.healthChecks.list()
  const exported = results.map((check: HealthCheck) => ({ check, alerts: undefined }))
  const text = exportHead(false) + exportRows(exported)
  const parts = { listings: createAddressListings(NOTHING_KEPT) }
  const where = { workspaceId: 'T1', now: new Date(), api: async () => api }
  return await planFile(parts, where, await readFile(Buffer.from(edit(text))), { deletes: true })
}

describe('an exported file', () => {
  it.each([
    { of: 'a long name', parts: { name: 'n'.repeat(300) } },
    { of: 'port 0', parts: { port: 0 } },
    { of: 'an unknown protocol', parts: { protocol: 'ICMP', verify_ssl: true } },
    { of: 'an invalid target', parts: { target: 'not a target' } },
    { of: 'a setting of another protocol', parts: { protocol: 'TCP', verify_ssl: true } },
  ])('changes nothing in a check with $of', async ({ parts }) => {
    expect(await planned(parts)).toMatchObject({ steps: [], same: 1, bad: [] })
  })

  it('is validated like any other file once it was edited', async () => {
    const { steps, bad } = await planned({ port: 0 }, (text) => text.replace('60', '30'))
    expect(steps).toEqual([])
    expect(bad).toMatchObject([{ column: 'port' }])
  })
})
