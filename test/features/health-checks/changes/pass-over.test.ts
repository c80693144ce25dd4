import { expect, it } from 'vitest'
import type { StepOutcome, WorkSteps } from '../../../../packages/durable/src/work/job-steps.ts'
import type { JobRun } from '../../../../src/bot/routes/routes.ts'
import { passOver } from '../../../../src/features/health-checks/changes/changes-job.ts'
import type { ChangesAbout } from '../../../../src/features/health-checks/changes/views.ts'
import { clientOf, PRODUCTION } from '../../../service/vendor.ts'
import { checkNamed, NEVER_STEADY, SHIFTING, SHORT, startListing } from '../shifting-listing.ts'

/** Looks for the check c, which a job is to create, in such a list. */
async function passedOver(listing: Parameters<typeof startListing>[0]) {
  await using vendor = await startListing(listing)
  await using service = clientOf(vendor.url)
  const { customer_id: customerId, uuid: _, status: __, ...fields } = checkNamed('c')
  const change = { do: 'create', body: { ...fields, customerId }, alerts: [] }
  const found: StepOutcome[] = []
  const steps = {
    ready: async (_: string, line: number) => (line === 0 ? [{ line: 7, body: change }] : []),
    settle: async (_: string, __: string, some: StepOutcome[]) => void found.push(...some),
  } as unknown as WorkSteps
  const run = {
    about: { planned: { create: 1, edit: 0, delete: 0 } },
    context: { api: async () => service.with(PRODUCTION), environment: 'production' },
    // It asks for nothing else.
  } as unknown as JobRun<ChangesAbout>
  const carryChecks = async () => ({ watches: 0, mutes: 0 })
  return { says: await passOver(run, { steps, carryChecks }), found }
}

it('finds a check that moved from one page to another while they were read', async () => {
  expect(await passedOver(SHIFTING)).toEqual({
    says: undefined,
    found: [{ line: 7, state: 'found', result: 'uuid-c' }],
  })
})

it('lets nothing be created while the list never stands still', async () => {
  expect(await passedOver(NEVER_STEADY)).toEqual({
    says: expect.stringContaining('Try again in a minute.'),
    found: [],
  })
})

it('lets nothing be created while the list is shorter than it says', async () => {
  expect(await passedOver(SHORT)).toEqual({
    says: expect.stringContaining('lists 2 health checks fewer than it says that it has'),
    found: [],
  })
})
