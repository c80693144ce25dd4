import { expect, it } from 'vitest'
import { parseBulk } from '../../../../src/features/health-checks/bulk/parse.ts'
import { planBulk } from '../../../../src/features/health-checks/bulk/plan-bulk.ts'
import { applyBulk, previewBulk } from '../../../../src/features/health-checks/bulk/preview.ts'
import { previewView, recipientChecksView } from '../../../../src/features/health-checks/bulk/views.ts'
import { CHANGES_KIND } from '../../../../src/features/health-checks/jobs/changes-job.ts'
import { createKnownAddresses } from '../../../../src/features/health-checks/rows/known-addresses.ts'
import { createClient, PRODUCTION } from '../../../service/vendor.ts'
import { EMPTY_STATE } from '../empty-state.ts'
import { startAct, WORKSPACE } from '../resumed-act.ts'
import { ALWAYS_CHANGING, checkNamed, INCOMPLETE, SHIFTING, startListing } from '../shifting-listing.ts'

const REQUEST = parseBulk('edit', { values: { check: 'web-*' }, flags: { frequency: '30' } })
const DIED = 'The process died here.'

/** Starts a bulk edit in a process that dies after it stored the job and the first `storedSteps` of its steps. */
async function startInterrupted(storedSteps = 0, checks = 1) {
  const act = await startAct()
  for (let number = 1; number <= checks; number += 1) await act.service.addCheck({ name: `web-${number}` })
  const { digest } = await act.plan(REQUEST)
  const { context, deps } = await act.resume({
    workSteps: {
      ...act.store.workSteps,
      async add(id, steps) {
        await act.store.workSteps.add(id, steps.slice(0, storedSteps))
        throw new Error(DIED)
      },
    },
  })
  await expect(applyBulk(deps, context, REQUEST, digest)).rejects.toThrow(DIED)
  return { act, digest, findJobs: async () => await act.store.work.listOpen(WORKSPACE, [CHANGES_KIND]) }
}

it('says how many checks are skipped and why, and offers a file if not all are shown', async () => {
  await using act = await startAct()
  for (let number = 10; number < 30; number += 1)
    for (const name of [`web-${number}`, `web-${number}-b`]) await act.service.addCheck({ name })
  const { context, deps } = await act.resume()
  const preview = await previewBulk(
    deps,
    context,
    parseBulk('clone', { values: { check: 'web-*' }, flags: { suffix: '-b' } }),
  )
  expect(preview.text).toContain('20 are left out')
  expect(preview.text).toMatch(/(web-\d+, ){14}web-\d+: A health check with this name already exists\./)
  expect(preview.text).toContain('And 5 more. The file lists all of them.')
  expect(JSON.stringify(preview.blocks)).toContain('All 40 as a file')
})

it('offers no file if all checks are shown, even if a name looks like the end of a shortened list', async () => {
  await using act = await startAct()
  await act.service.addCheck({ name: 'web-learn more' })
  const { context, deps } = await act.resume()
  const preview = await previewBulk(deps, context, REQUEST)
  expect(preview.text).toContain('web-learn more')
  expect(JSON.stringify(preview.blocks)).not.toContain('as a file')
})

it.each([
  {
    flags: { add: 'dan', onlyWhere: 'cat' },
    headline: 'Email dan in place of cat about 1 “web-*” health check?',
    expectedRecipients: 'dan, ann',
  },
  {
    flags: { remove: 'ann', onlyWhere: 'cat' },
    headline: 'Stop emailing ann about 1 “web-*” health check, where cat gets emails?',
    expectedRecipients: 'cat',
  },
  {
    flags: { add: 'dan', remove: 'ann', onlyWhere: 'cat' },
    headline: 'Email dan in place of ann about 1 “web-*” health check, where cat gets emails?',
    expectedRecipients: 'dan, cat',
  },
  {
    flags: { remove: 'cat', onlyWhere: 'cat' },
    headline: 'Stop emailing cat about 1 “web-*” health check?',
    expectedRecipients: 'ann',
  },
])(
  'describes a change of recipients for the checks that alert one address: $headline',
  async ({ flags: typed, headline, expectedRecipients }) => {
    await using act = await startAct()
    const toAddresses = (names: string) => names.replace(/\b(ann|bob|cat|dan)\b/g, '$1@example.com')
    await act.service.addCheck({ name: 'web-1', alerts: [[toAddresses('cat'), toAddresses('ann')]] })
    await act.service.addCheck({ name: 'web-2', alerts: [[toAddresses('ann'), toAddresses('bob')]] })
    const { onlyWhere, ...others } = typed
    const flags = Object.fromEntries(
      Object.entries({ ...others, 'only-where': onlyWhere }).map(([flag, who]) => [flag, toAddresses(who)]),
    )
    const request = parseBulk('recipients', { values: { check: 'web-*' }, flags })
    const { context, deps } = await act.resume()
    expect((await previewBulk(deps, context, request)).text.replaceAll('\u2060', '')).toContain(
      toAddresses(headline),
    )
    const { rows } = await act.plan(request)
    expect(rows.map(([name, , after]) => [name, after.replace(/^emails |\+/g, '')])).toEqual([
      ['web-1', toAddresses(expectedRecipients)],
    ])
  },
)

it('says that a setting doesn’t apply to a check, not that the check already has it', async () => {
  await using act = await startAct()
  await act.service.addCheck({ name: 'web-1', protocol: 'TCP', target: '192.0.2.1', port: 22 })
  const { context, deps } = await act.resume()
  const readPreview = async (flags: Record<string, string>) =>
    (await previewBulk(deps, context, parseBulk('edit', { values: { check: 'web-*' }, flags }))).text
  const verify = await readPreview({ 'verify-ssl': 'no' })
  expect(verify).toContain('Nothing to do: none of the matching health checks can be changed.')
  expect(verify).toContain('web-1: The SSL verification is only for HTTPS.')
  expect(await readPreview({ 'server-address': '192.0.2.7' })).toContain(
    'web-1: The server address is only for HTTP and HTTPS.',
  )
  expect(await readPreview({ 'server-address': 'resolve' })).toContain('already has these values')
})

it('starts exactly the previewed change after a crash', async () => {
  const { act, digest, findJobs } = await startInterrupted()
  await using _ = act
  const { context, deps } = await act.resume()
  expect((await applyBulk(deps, context, REQUEST, digest)).text).toContain('Started.')
  const [job, ...others] = await findJobs()
  expect(others).toEqual([])
  expect(await act.store.workSteps.countByState(job?.id ?? '')).toMatchObject({ ready: 1 })
})

it.each([1, 2, 3])(
  'starts everything that was previewed, even after a crash with %i of 3 steps stored',
  async (storedSteps) => {
    const { act, digest, findJobs } = await startInterrupted(storedSteps, 3)
    await using _ = act
    const { context, deps } = await act.resume()
    expect((await applyBulk(deps, context, REQUEST, digest)).text).toContain('Started.')
    const [job] = await findJobs()
    expect(await act.store.workSteps.countByState(job?.id ?? '')).toMatchObject({ ready: 3 })
  },
)

it('starts nothing after a crash if other checks match now, and shows a new preview', async () => {
  const { act, digest, findJobs } = await startInterrupted()
  await using _ = act
  await act.service.addCheck({ name: 'web-2' })
  const { context, deps } = await act.resume()
  const { text } = await applyBulk(deps, context, REQUEST, digest)
  expect(text).toContain('The health checks have changed since this preview, so nothing was started.')
  expect(await findJobs()).toEqual([])
})

async function plan(listing: Parameters<typeof startListing>[0], pattern = '*') {
  await using vendor = await startListing(listing)
  await using service = createClient(vendor.url)
  const deps = { knownAddresses: createKnownAddresses(EMPTY_STATE, { production: 'none', ote: 'none' }) }
  const context = {
    workspaceId: 'T1',
    environment: 'production' as const,
    now: new Date(),
    api: async () => service.with(PRODUCTION),
  }
  return await planBulk(
    deps,
    context,
    parseBulk('edit', { values: { check: pattern }, flags: { frequency: '30' } }),
  )
}

it('includes only matching checks, even if the service ignores the filter', async () => {
  const checks = ['web-1', 'my-web-1', 'shop'].map((name) => ({ ...checkNamed(name), protocol: 'TCP' }))
  const listing = {
    reads: [{ pages: [checks.slice(0, 2), checks.slice(2)], totals: [3, 3] }],
    details: checks,
  }
  const listNames = async (pattern: string) => {
    const { steps, leftOut, incompleteReason } = await plan(listing, pattern)
    expect([leftOut, incompleteReason]).toEqual([[], undefined])
    return steps.map(({ name }) => name)
  }
  expect(await listNames('*')).toEqual(['my-web-1', 'shop', 'web-1'])
  expect(await listNames('web-*')).toEqual(['web-1'])
  expect(await listNames('*web-1')).toEqual(['my-web-1', 'web-1'])
})

it('rereads a listing that changed while it was read, and reports an incomplete one', async () => {
  expect((await plan(SHIFTING)).leftOut.map(({ name }) => name)).toContain('c')
  expect((await plan(INCOMPLETE)).incompleteReason).toContain('2 health checks are missing from it')
  await expect(plan(ALWAYS_CHANGING)).rejects.toThrow('Try again in a minute.')
})

it('doesn’t say that nothing matches if the listing is incomplete', async () => {
  const request = parseBulk('edit', { values: { check: 'nothing-*' }, flags: { frequency: '30' } })
  const { text } = previewView(request, await plan(INCOMPLETE, 'nothing-*'), 'production')
  expect(text).toContain('Nothing to do: Signalman found no health check that matches.')
  expect(text).toContain('Others may match too.')
  const listed = recipientChecksView('ann@example.com', request, await plan(INCOMPLETE, 'nothing-*'), {
    ...{ page: 1, environment: 'production', now: new Date() },
  })
  expect(listed.text).toMatch(/^Signalman found no health check that emails ann@example\.com/)
})

it('doesn’t offer or start a bulk edit if the listing is incomplete', async () => {
  await using vendor = await startListing(INCOMPLETE)
  await using service = createClient(vendor.url)
  await using act = await startAct()
  const { context: actContext, deps } = await act.resume()
  const context = { ...actContext, api: async () => service.with(PRODUCTION) }
  const request = parseBulk('edit', {
    values: { check: '*' },
    flags: { frequency: '30' },
  })
  const preview = await previewBulk(deps, context, request)
  expect(preview.text).toContain('Nothing can start until')
  expect(JSON.stringify(preview)).not.toContain('bulk-apply')
  const { digest } = await planBulk(deps, context, request)
  expect((await applyBulk(deps, context, request, digest)).text).toContain('Nothing can start until')
  expect(await act.store.work.listOpen(WORKSPACE, [CHANGES_KIND])).toEqual([])
})
