import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVER_ADDRESSES, type ServerAddresses } from '../../../../src/domain/server-addresses.ts'
import { parseBulk } from '../../../../src/features/health-checks/bulk/parse.ts'
import { planBulk } from '../../../../src/features/health-checks/bulk/plan-bulk.ts'
import { answerAddresses, applyBulk } from '../../../../src/features/health-checks/bulk/preview.ts'
import { planFile } from '../../../../src/features/health-checks/files/plan.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { addJob, countPlanned, startJob } from '../../../../src/features/health-checks/jobs/start-job.ts'
import { undoJob } from '../../../../src/features/health-checks/jobs/undo-job.ts'
import type { AddressAnswer } from '../../../../src/features/health-checks/rules/server-address.ts'
import { eitherOf, halfOf, IS_LONG } from '../../../long.ts'
import { createRandom, readSeed } from '../../../random.ts'
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

let store: Awaited<ReturnType<typeof openJobStore>>
let workspaces = 0
beforeAll(async () => {
  store = await openJobStore()
})
afterAll(() => store[Symbol.asyncDispose]())

/** Adds a workspace to the store, whose own account has a check with each kind of server address. */
function startWorkspace(listingKind: ListingKind, listShows: ServerAddresses) {
  workspaces += 1
  const workspaceId = `T${workspaces}`
  const service = new FakeService(listingKind)
  service.addToken('token', ACCOUNT)
  for (const check of CHECKS) service.create(ACCOUNT, check, [['ann@example.com']])
  service.catchUp()
  const processes = startProcesses(store, {
    workspaceId,
    random: createRandom(1),
    listShows,
    deaths: { left: 0 },
    api: async () => service.api('token'),
  })
  const toRequest = (flags: Record<string, string>, action: 'edit' | 'clone', check = 'web-*') =>
    parseBulk(action, { values: { check }, flags })
  async function change(flags: Record<string, string>, action: 'edit' | 'clone' = 'edit') {
    const request = toRequest(flags, action)
    await processes.act(PEOPLE.starter, async (deps, context) => {
      const { digest } = await planBulk(deps, context, request)
      return applyBulk(deps, context, request, digest)
    })
    return store.work.listOpen(workspaceId, ['health-checks.changes'])
  }
  /** Starts the import of a file. Returns the names of the checks whose server address the preview asks about. */
  const importFile = (text: string) =>
    processes.act(PEOPLE.starter, async (deps, context) => {
      const plan = await planFile(deps, context, await readFile(Buffer.from(text)))
      const steps = plan.steps.map(({ step }) => step)
      const { account } = await context.api()
      const details = { verb: '/hc import', title: 'a.csv', fileName: 'a.csv', account }
      const planned = countPlanned(steps)
      if (steps.length > 0) {
        const job = { ...details, planned, startedBy: PEOPLE.starter }
        await startJob(deps, context, await addJob(deps, context, job, steps))
      }
      return plan.unknownAddresses.map(({ uuid }) => service.find(ACCOUNT, uuid)?.name)
    })
  return {
    service,
    change,
    importFile,
    plan: (flags: Record<string, string>, action: 'edit' | 'clone' = 'edit') =>
      processes.act(PEOPLE.starter, (deps, context) => planBulk(deps, context, toRequest(flags, action))),
    /** Answers the question that a preview of these checks asks. */
    answer: (flags: Record<string, string>, answer: AddressAnswer, check?: string) =>
      processes.act(PEOPLE.starter, async (deps, context) => {
        const request = toRequest(flags, 'edit', check)
        const { addressDigest: seen } = await planBulk(deps, context, request)
        return answerAddresses(deps, context, request, { answer, seen })
      }),
    findAddresses: () =>
      Object.fromEntries(
        service.all(ACCOUNT).map(({ name, configuredAddress }) => [name, configuredAddress]),
      ),
    ...processes,
  }
}

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
  { flags: { frequency: '30' }, again: { frequency: '45' }, field: 'frequency' },
  { flags: { port: '8443' }, again: { port: '9443' }, field: 'port' },
  { flags: { 'set-target': 'new.example' }, again: { 'set-target': 'newer.example' }, field: 'target' },
  { flags: { 'set-customer': '2' }, again: { 'set-customer': '3' }, field: 'customerId' },
  { flags: { 'verify-ssl': 'yes' }, again: { 'verify-ssl': 'no' }, field: 'verifySsl' },
] as const

const HTTPS_CHECKS = ['web-given', 'web-resolved', 'web-ip']
const ALL_CHECKS = [...HTTPS_CHECKS, 'web-tcp']

/**
 * Each column of a file, what it changes in which checks (`of`), and about which of them Signalman asks first if it doesn't know the
 * server address (`asks`). If the target is an IP address, leaving out the server address changes nothing, unless the target changes.
 */
const COLUMN_EDITS = [
  { column: 'name', value: (name: string) => `${name}-2`, fields: ['name'] },
  // A default port follows the protocol, and only HTTPS checks verify a certificate. The preview shows both.
  {
    column: 'protocol',
    value: () => 'HTTP',
    fields: ['protocol', 'port', 'verifySsl'],
    of: HTTPS_CHECKS,
  },
  { column: 'target', value: () => 'new.example', fields: ['target'], asks: HTTPS_CHECKS },
  { column: 'port', value: () => '8443', fields: ['port'] },
  { column: 'frequency', value: () => '30', fields: ['frequency'] },
  { column: 'customer_id', value: () => '2', fields: ['customerId'] },
  {
    column: 'http_server_address',
    value: () => '192.0.2.99',
    fields: ['configuredAddress'],
    of: HTTPS_CHECKS,
    asks: [],
  },
  { column: 'verify_ssl', value: () => 'true', fields: ['verifySsl'], of: HTTPS_CHECKS },
  { column: 'alerts', value: () => 'ann@example.com; bob@example.com', fields: ['alerts'], asks: [] },
].map((edit) => ({ of: ALL_CHECKS, asks: ['web-given', 'web-resolved'], ...edit }))

/** Whether an operator who sets this is right about this listing. `none` and `all` never claim anything. */
const isTrue = (listShows: ServerAddresses, listingKind: ListingKind): boolean =>
  listShows !== 'given' || listingKind === 'set-only' || listingKind === 'outdated'

const ALL_SETTINGS = SERVER_ADDRESSES.flatMap((listShows) =>
  LISTING_KINDS.filter((listingKind) => isTrue(listShows, listingKind)).map((listingKind) => ({
    listShows,
    listingKind,
    isKnown: listShows === 'given',
  })),
)
/** A quick run chooses by its seed: one that tells the addresses, and every fourth of the others. */
const SETTINGS = [
  ...eitherOf(ALL_SETTINGS.filter(({ isKnown }) => isKnown)),
  ...ALL_SETTINGS.filter(({ isKnown }) => !isKnown).filter((_, nth) => IS_LONG || nth % 4 === readSeed() % 4),
]

describe.each(SETTINGS)(
  'a change, with API_SERVER_ADDRESSES=$listShows and listings of the kind “$listingKind”',
  ({ listShows, listingKind, isKnown }) => {
    const start = () => startWorkspace(listingKind, listShows)

    it.each(EDITS)('of $field sets only that, or asks, and can be undone', async ({ flags, field }) => {
      const workspace = start()
      const { service, change, runJob, act, plan } = workspace
      const before = service.all(ACCOUNT)
      const isForHttps = field === 'verifySsl'
      // If the target is an IP address, leaving out the server address changes nothing, unless the target changes.
      const changesIp = isKnown || field !== 'target'
      const asked = isKnown ? [] : ['web-given', 'web-resolved', ...(changesIp ? [] : ['web-ip'])]
      const { unknownAddresses } = await plan(flags)
      service.catchUp()
      expect(unknownAddresses.map(({ uuid }) => service.find(ACCOUNT, uuid)?.name)).toEqual(asked.toSorted())
      await change(flags)
      const { id } = await runJob()
      expect(findChanges(before, service.all(ACCOUNT))).toEqual({
        'web-given': isKnown ? [field] : [],
        'web-resolved': isKnown ? [field] : [],
        'web-ip': changesIp ? [field] : [],
        'web-tcp': isForHttps ? [] : [field],
      })
      service.catchUp()
      await act(PEOPLE.starter, (deps, context) => undoJob(deps, context, id, 'leave-out'))
      await runJob()
      expect(Object.values(findChanges(before, service.all(ACCOUNT))).flat()).toEqual([])
    })

    it.each(halfOf(EDITS))('of $field asks only once', async ({ flags, again, field }) => {
      const workspace = start()
      const { service, change, runJob, act, answer, plan, findAddresses } = workspace
      if (!isKnown) {
        await answer(flags, 'keep', 'web-given')
        await answer(flags, 'resolve', 'web-*')
      }
      const before = service.all(ACCOUNT)
      const addresses = findAddresses()
      const expected = { 'web-given': [field], 'web-resolved': [field], 'web-ip': [field] }
      await change(flags)
      const { id } = await runJob()
      service.catchUp()
      expect(findChanges(before, service.all(ACCOUNT))).toMatchObject(expected)
      // Signalman knows what it wrote.
      expect((await plan(again)).unknownAddresses).toEqual([])
      await change(again)
      const second = await runJob()
      service.catchUp()
      expect(findAddresses()).toEqual(addresses)
      for (const job of [second.id, id]) {
        await act(PEOPLE.starter, (deps, context) => undoJob(deps, context, job, undefined))
        await runJob()
        service.catchUp()
      }
      expect(Object.values(findChanges(before, service.all(ACCOUNT))).flat()).toEqual([])
    })

    it.each(halfOf(COLUMN_EDITS))('of the column $column changes only that, or asks', async (edit) => {
      const workspace = start()
      const { service, importFile, runJob } = workspace
      const before = service.all(ACCOUNT)
      const rows = before
        .filter(({ name }) => edit.of.includes(name))
        .map(({ uuid, name }) => `${uuid},"${edit.value(name)}"\n`)
      const asked = isKnown ? [] : edit.asks
      const unknown = await importFile(`uuid,${edit.column}\n${rows.join('')}`)
      expect(unknown.toSorted()).toEqual(asked.toSorted())
      const changed = edit.of.filter((name) => !asked.includes(name))
      if (changed.length > 0) await runJob()
      const expected = ALL_CHECKS.map((name) => [name, changed.includes(name) ? edit.fields : []])
      expect(findChanges(before, service.all(ACCOUNT))).toEqual(Object.fromEntries(expected))
    })

    it('asks again about a check that someone else has changed', async () => {
      const workspace = start()
      const { service, answer, plan } = workspace
      await answer({ frequency: '30' }, 'resolve')
      const changed = service.all(ACCOUNT).find(({ name }) => name === 'web-resolved')
      service.change(ACCOUNT, changed?.uuid ?? '', { configuredAddress: '192.0.2.50' })
      service.catchUp()
      const { unknownAddresses, steps } = await plan({ frequency: '30' })
      expect(unknownAddresses.map(({ uuid }) => uuid)).toEqual(isKnown ? [] : [changed?.uuid])
      expect(steps.length).toBe(isKnown ? 4 : 3)
    })

    it('doesn’t ask about addresses that the edit itself sets or resolves', async () => {
      const workspace = start()
      const { service, change, runJob, findAddresses } = workspace
      await change({ 'server-address': '192.0.2.99', protocol: 'HTTPS' })
      await runJob()
      expect(findAddresses()).toMatchObject({ 'web-given': '192.0.2.99', 'web-resolved': '192.0.2.99' })
      service.catchUp()
      await change({ 'server-address': 'resolve', protocol: 'HTTPS' })
      await runJob()
      expect(findAddresses()).toMatchObject({ 'web-given': undefined, 'web-resolved': undefined })
    })

    it('copies every setting when it clones a check', async () => {
      const workspace = start()
      const { service, change, runJob } = workspace
      await change({ suffix: '-b' }, 'clone')
      await runJob()
      const copies = service.all(ACCOUNT).filter(({ name }) => name.endsWith('-b'))
      expect(copies.length).toBe(isKnown ? 4 : 2)
      for (const copy of copies) {
        const original = service.all(ACCOUNT).find(({ name }) => `${name}-b` === copy.name)
        const { name: _, uuid: __, modifiedAt: ___, alerts, ...settings } = copy
        expect(original).toMatchObject(settings)
        expect(alerts.map(({ recipients }) => recipients)).toEqual([['ann@example.com']])
      }
    })
  },
)

it('skips checks whose listing is out of date', async () => {
  const workspace = startWorkspace('outdated', 'given')
  const { change, runJob, act } = workspace
  await change({ 'server-address': '192.0.2.99', protocol: 'HTTPS' })
  await runJob()
  const request = parseBulk('edit', {
    values: { check: 'web-*' },
    flags: { 'server-address': 'resolve', protocol: 'HTTPS' },
  })
  const plan = await act(PEOPLE.starter, (deps, context) => planBulk(deps, context, request))
  expect(plan.steps.map(({ name }) => name)).toEqual(['web-given', 'web-ip'])
  expect(plan.leftOut).toMatchObject([
    { name: 'web-resolved', reason: expect.stringContaining('out of date') },
  ])
  expect(plan.unchangedCount).toBe(0)
})

it('ends with the reason if an outcome can’t be read because the list is out of date', async () => {
  const { service, change, act, runJob } = startWorkspace('outdated', 'given')
  await change({ frequency: '30' })
  // The answer to the first write is lost, and the service is down after it, so its outcome stays unknown.
  let isDown = true
  service.onFault = () => {
    if (isDown) service.fault = { after: 0, kind: 'not-sent' }
  }
  service.fault = { after: 4, kind: 'lost' }
  const { id, text } = await runJob()
  expect(text).toContain('web-given: Unclear.')
  isDown = false
  service.fault = undefined
  const continueIt = () => act(PEOPLE.starter, (deps, context) => startJob(deps, context, id))
  await continueIt()
  expect((await runJob(0)).text).toContain(
    'The service’s list of health checks is out of date. Try again in a minute.\n0 of 4 done, 1 unclear, 3 not started.\nweb-given: Unclear.',
  )
  service.catchUp()
  await continueIt()
  expect((await runJob()).text).toContain('4 health checks are now checked every 30 s.')
})
