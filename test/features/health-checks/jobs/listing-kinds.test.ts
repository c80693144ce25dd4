import { describe, expect, it } from 'vitest'
import { parseBulk } from '../../../../src/features/health-checks/bulk/parse.ts'
import { planBulk } from '../../../../src/features/health-checks/bulk/plan-bulk.ts'
import { applyBulk } from '../../../../src/features/health-checks/bulk/preview.ts'
import { undoJob } from '../../../../src/features/health-checks/jobs/undo-job.ts'
import { createRandom } from '../../../random.ts'
import { FakeService, LISTING_KINDS, type ListingKind, type StoredCheck } from './fake-service.ts'
import { openJobStore, PEOPLE, startProcesses } from './processes.ts'

const ACCOUNT = 'A'

const BODY = { protocol: 'HTTPS', port: 443, frequency: 60, customerId: 1, verifySsl: false }
const CHECKS = [
  { ...BODY, name: 'web-given', target: 'given.example', httpServerAddress: '192.0.2.7' },
  { ...BODY, name: 'web-resolved', target: 'resolved.example' },
  { ...BODY, name: 'web-ip', target: '203.0.113.7' },
  { name: 'web-tcp', protocol: 'TCP', target: 'tcp.example', port: 25, frequency: 60, customerId: 1 },
]

/** Starts a workspace whose account has a check with each kind of server address. */
async function startWorkspace(listingKind: ListingKind) {
  await using started = new AsyncDisposableStack()
  const store = started.use(await openJobStore())
  const service = new FakeService(listingKind)
  service.addToken('token', ACCOUNT)
  for (const check of CHECKS) service.create(ACCOUNT, check, [['ann@example.com']])
  service.catchUp()
  const processes = startProcesses(store, {
    workspaceId: 'T1',
    random: createRandom(1),
    deaths: { left: 0 },
    api: async () => service.api('token'),
  })
  async function change(flags: Record<string, string>, action: 'edit' | 'clone' = 'edit') {
    const request = parseBulk(action, { words: ['web-*'], flags })
    await processes.act(PEOPLE.starter, async (deps, context) => {
      const { digest } = await planBulk(deps, context, request)
      return applyBulk(deps, context, request, digest)
    })
    return store.work.listOpen('T1', ['health-checks.changes'])
  }
  const resources = started.move()
  return { service, change, ...processes, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

const listsSetAddresses = (listingKind: ListingKind): boolean =>
  listingKind === 'set-only' || listingKind === 'outdated'

/** The settings that changed, by the name of their check. */
function findChanges(
  before: readonly StoredCheck[],
  after: readonly StoredCheck[],
): Record<string, string[]> {
  const fields = [
    'name',
    'protocol',
    'target',
    'port',
    'frequency',
    'customerId',
    'configuredAddress',
    'verifySsl',
    'alerts',
  ] as const
  return Object.fromEntries(
    before.map((checkBefore) => {
      const now = after.find(({ uuid }) => uuid === checkBefore.uuid)
      return [
        checkBefore.name,
        fields.filter((field) => JSON.stringify(checkBefore[field]) !== JSON.stringify(now?.[field])),
      ]
    }),
  )
}

const EDITS = [
  { flags: { frequency: '30' }, field: 'frequency' },
  { flags: { port: '8443' }, field: 'port' },
  { flags: { 'set-target': 'new.example' }, field: 'target' },
  { flags: { 'set-customer': '2' }, field: 'customerId' },
  { flags: { 'verify-ssl': 'yes' }, field: 'verifySsl' },
] as const

describe.each(LISTING_KINDS)('a change, with listings of the kind “%s”', (listingKind) => {
  it.each(EDITS)('sets only $field if that field is edited, and can be undone', async ({ flags, field }) => {
    await using workspace = await startWorkspace(listingKind)
    const { service, change, runJob, act } = workspace
    const before = service.all(ACCOUNT)
    await change(flags)
    const { id } = await runJob()
    const changed = findChanges(before, service.all(ACCOUNT))
    for (const [name, fields] of Object.entries(changed))
      expect([name, ...fields]).toEqual([name, ...fields.filter((changed) => changed === field)])
    const isOnlyHttps = field === 'verifySsl'
    // Neither address is unknown: the target of web-ip is its address, and web-tcp has none.
    expect(changed['web-ip']).toEqual([field])
    expect(changed['web-tcp']).toEqual(isOnlyHttps ? [] : [field])
    expect(changed['web-given']).toEqual(listsSetAddresses(listingKind) ? [field] : [])
    expect(changed['web-resolved']).toEqual(listsSetAddresses(listingKind) ? [field] : [])
    await act(PEOPLE.starter, (deps, context) => undoJob(deps, context, id, 'leave-out'))
    await runJob()
    const remainingChanges = findChanges(before, service.all(ACCOUNT))
    // After the target has changed, it's unknown whether the old address was set or resolved.
    const unrestored = !listsSetAddresses(listingKind) && field === 'target' ? [field] : []
    expect(remainingChanges).toMatchObject({
      'web-given': [],
      'web-resolved': [],
      'web-tcp': [],
      'web-ip': unrestored,
    })
  })

  it.each(['resolve', 'keep'] as const)(
    'sets or resolves a server address as the person chooses, but only if it is unknown: %s',
    async (answer) => {
      await using workspace = await startWorkspace(listingKind)
      const { service, change, runJob } = workspace
      const before = service.all(ACCOUNT)
      await change({ frequency: '30', 'unknown-address': answer })
      await runJob()
      const setAddresses = Object.fromEntries(
        service.all(ACCOUNT).map(({ name, configuredAddress }) => [name, configuredAddress]),
      )
      if (listsSetAddresses(listingKind))
        expect(findChanges(before, service.all(ACCOUNT))).toMatchObject({
          'web-given': ['frequency'],
          'web-resolved': ['frequency'],
        })
      else if (answer === 'resolve')
        expect(setAddresses).toMatchObject({ 'web-given': undefined, 'web-resolved': undefined })
      else
        expect(setAddresses).toMatchObject({
          'web-given': '192.0.2.7',
          'web-resolved': expect.stringMatching(/^198\.51\.100\./),
        })
    },
  )

  it('doesn’t ask about addresses that the edit itself sets or resolves', async () => {
    await using workspace = await startWorkspace(listingKind)
    const { service, change, runJob } = workspace
    const addresses = () =>
      Object.fromEntries(service.all(ACCOUNT).map(({ name, configuredAddress }) => [name, configuredAddress]))
    await change({ 'server-address': '192.0.2.99', protocol: 'HTTPS' })
    await runJob()
    expect(addresses()).toMatchObject({ 'web-given': '192.0.2.99', 'web-resolved': '192.0.2.99' })
    service.catchUp()
    await change({ 'server-address': 'resolve', protocol: 'HTTPS' })
    await runJob()
    expect(addresses()).toMatchObject({ 'web-given': undefined, 'web-resolved': undefined })
  })

  it('copies every setting when it clones a check', async () => {
    await using workspace = await startWorkspace(listingKind)
    const { service, change, runJob } = workspace
    await change({ suffix: '-b' }, 'clone')
    await runJob()
    const copies = service.all(ACCOUNT).filter(({ name }) => name.endsWith('-b'))
    expect(copies.length).toBe(listsSetAddresses(listingKind) ? 4 : 2)
    for (const copy of copies) {
      const original = service.all(ACCOUNT).find(({ name }) => `${name}-b` === copy.name)
      const { name: _, uuid: __, modifiedAt: ___, alerts, ...settings } = copy
      expect(original).toMatchObject(settings)
      expect(alerts.map(({ recipients }) => recipients)).toEqual([['ann@example.com']])
    }
  })
})

it('skips checks whose listing is out of date', async () => {
  await using workspace = await startWorkspace('outdated')
  const { change, runJob, act } = workspace
  await change({ 'server-address': '192.0.2.99', protocol: 'HTTPS' })
  await runJob()
  const request = parseBulk('edit', {
    words: ['web-*'],
    flags: { 'server-address': 'resolve', protocol: 'HTTPS' },
  })
  const plan = await act(PEOPLE.starter, (deps, context) => planBulk(deps, context, request))
  // The target of web-ip is its address, so its details are enough.
  expect(plan.steps.map(({ name }) => name)).toEqual(['web-given', 'web-ip'])
  expect(plan.leftOut).toMatchObject([
    { name: 'web-resolved', reason: expect.stringContaining('out of date') },
  ])
  expect(plan.unchangedCount).toBe(0)
})
