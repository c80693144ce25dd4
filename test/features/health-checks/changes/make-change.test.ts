import { expect, it } from 'vitest'
import type { Change, Creation } from '../../../../src/features/health-checks/changes/change.ts'
import { prepare } from '../../../../src/features/health-checks/changes/make-change.ts'
import { clientOf, failureOf, PRODUCTION } from '../../../service/vendor.ts'
import { startAct } from '../act-in-lives.ts'
import { checkNamed, SHORT, startListing } from '../shifting-listing.ts'

const gone = { method: 'GET', kind: 'status', status: 404 } as const

it.each(['edit', 'delete'] as const)(
  'takes a check whose alerts alone are not found for no check that is gone, when it is to %s',
  async (what) => {
    await using act = await startAct()
    const uuid = await act.service.addCheck({ name: 'web' })
    const of = { uuid, name: 'web' }
    const alerts = { exactly: [] }
    const change: Change = what === 'edit' ? { do: what, ...of, patch: {}, alerts } : { do: what, ...of }
    const path = `/healthcheck/v1/healthchecks/${uuid}`
    await act.service.faults({ ...gone, path: `${path}/alerts` })
    await expect(prepare(act.api, change)).rejects.toMatchObject({ kind: 'not-found' })
    await act.service.faults({ ...gone, path })
    const { state } = await prepare(act.api, change)
    expect(state).toBe(what === 'edit' ? 'refused' : 'found')
  },
)

const { customer_id: customerId, uuid: _, status: __, ...fields } = checkNamed('c')
const TRIED: Creation = { do: 'create', body: { ...fields, customerId }, alerts: [], isTried: true }

it('does not take a creation for not done while the list is shorter than it says', async () => {
  await using vendor = await startListing(SHORT)
  await using service = clientOf(vendor.url)
  expect(await failureOf(prepare(service.with(PRODUCTION), TRIED))).toMatchObject({
    kind: 'unreadable',
    mayHaveHappened: false,
  })
})

it('takes it for not done where the whole list lacks it', async () => {
  const [a, b, d] = ['a', 'b', 'd'].map(checkNamed)
  await using vendor = await startListing({ walks: [{ pages: [[a, b], [d]], totals: [3, 3] }] })
  await using service = clientOf(vendor.url)
  expect(await prepare(service.with(PRODUCTION), TRIED)).toMatchObject({ state: 'ready', now: undefined })
})
