import type { Work } from '@signalman/durable'
import { Question, UserError } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { NotConnected } from '../../../../src/bot/request/context.ts'
import {
  type BulkAction,
  type BulkRequest,
  parseBulk,
} from '../../../../src/features/health-checks/bulk/parse.ts'
import { planBulk } from '../../../../src/features/health-checks/bulk/plan-bulk.ts'
import { answerAddresses, applyBulk } from '../../../../src/features/health-checks/bulk/preview.ts'
import { planFile } from '../../../../src/features/health-checks/files/plan.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { CHANGES_KIND } from '../../../../src/features/health-checks/jobs/changes-job.ts'
import { readStepsInState } from '../../../../src/features/health-checks/jobs/job-result.ts'
import { listStoppedJobs } from '../../../../src/features/health-checks/jobs/owned-jobs.ts'
import {
  addJob,
  countPlanned,
  readJobDetails,
  startJob,
  stopJob,
} from '../../../../src/features/health-checks/jobs/start-job.ts'
import { undoJob } from '../../../../src/features/health-checks/jobs/undo-job.ts'
import { findUndoOffers } from '../../../../src/features/health-checks/jobs/undo-offers.ts'
import type { Edit, StepRecord, StepState } from '../../../../src/features/health-checks/rules/change.ts'
import type { ChangesDetails } from '../../../../src/features/health-checks/rules/job.ts'
import { ADDRESS_ANSWERS } from '../../../../src/features/health-checks/rules/server-address.ts'
import { accountFromToken } from '../../../../src/service/service.ts'
import { quickOrLong } from '../../../long.ts'
import { createRandom, type Random, readSeed } from '../../../random.ts'
import {
  type Change,
  FAULTS,
  FakeService,
  LISTING_KINDS,
  type ListingKind,
  type StoredCheck,
} from './fake-service.ts'
import { isAdmin, openJobStore, PEOPLE, startProcesses } from './processes.ts'

const RUNS = quickOrLong('JOB_RUNS', { quick: 6, long: 1000 })
const SEED = readSeed()

const ACCOUNT = 'A'
const TOKENS = { first: 'token-a', renewed: 'token-a2', other: 'token-b' } as const

type Store = Awaited<ReturnType<typeof openJobStore>>
const STATES: readonly StepState[] = [
  'ready',
  'begun',
  'done',
  'partial',
  'same',
  'skipped',
  'refused',
  'unclear',
]

interface StepResult {
  readonly state: StepState
  readonly record: StepRecord
}

/** The workspace, the service, and the jobs of one random sequence. */
class Model {
  readonly service: FakeService
  readonly random: Random
  readonly jobs: string[] = []
  /** Whether other people change checks in this sequence. */
  readonly hasInterference: boolean
  token: string | undefined = TOKENS.first
  /** Jobs whose unclear creations someone retried, so some checks may exist twice. */
  readonly retriedJobs = new Set<string>()
  /** The checks whose server address someone has answered about, so that a change may write it. */
  readonly answered = new Set<string>()
  /** The account of each job. */
  readonly accounts = new Map<string, string>()
  /** Jobs that ended early. */
  readonly endedEarly = new Set<string>()
  /** Who owns each job that isn't an undo. */
  readonly owners = new Map<string, string>()
  /** The job that each undo undoes. It has the same owner. */
  readonly undone = new Map<string, string>()
  /** How often each kind of step had an effect, across all sequences. */
  readonly effectCounts: Map<string, number>
  /** The last refusal that a person saw. */
  refusal = ''
  readonly #processes: ReturnType<typeof startProcesses>
  readonly #store: Store
  readonly workspaceId: string

  constructor(
    store: Store,
    workspaceId: string,
    {
      random,
      listingKind,
      effectCounts,
    }: { random: Random; listingKind: ListingKind; effectCounts: Map<string, number> },
  ) {
    this.#store = store
    this.effectCounts = effectCounts
    this.workspaceId = workspaceId
    this.random = random
    this.service = new FakeService(listingKind)
    this.service.onFault = (kind) => this.countEffect(kind)
    this.service.addToken(TOKENS.first, ACCOUNT)
    this.service.addToken(TOKENS.renewed, ACCOUNT)
    this.service.addToken(TOKENS.other, 'B')
    this.hasInterference = random.below(10) >= 3
    // A job checks after every 20 changes whether it should stop.
    const checkCount = random.below(8) === 0 ? 25 : 7
    for (const account of [ACCOUNT, 'B'])
      for (let index = 0; index < checkCount - random.below(5); index += 1)
        this.service.create(account, this.body(`web-${index}`), this.alertLists())
    this.service.catchUp()
    this.#processes = startProcesses(store, {
      workspaceId,
      random,
      listShows: random.oneOf(
        listsSetAddresses(listingKind) ? (['given', 'given', 'none'] as const) : (['none', 'all'] as const),
      ),
      deaths: { left: random.below(3) },
      onDeath: () => this.countEffect('restart'),
      api: async () => {
        if (this.token === undefined) throw new NotConnected('No token is stored.')
        return this.service.api(this.token)
      },
    })
  }

  alertLists(): string[][] {
    return Array.from({ length: this.random.below(3) }, (_, index) => [
      `p${this.random.below(4)}@example.com`,
      ...(index > 0 ? [`q${index}@example.com`] : []),
    ])
  }
  body(name: string) {
    const { random } = this
    const protocol = random.oneOf(['TCP', 'HTTP', 'HTTPS', 'HTTPS'])
    return {
      name,
      protocol,
      port: 443,
      frequency: 60,
      customerId: 1,
      target: random.oneOf(['shop.example', 'Api.example', '203.0.113.7', 'db.example']),
      ...(protocol !== 'TCP' && random.below(3) === 0 && { httpServerAddress: `192.0.2.${random.below(9)}` }),
      ...(protocol === 'HTTPS' && { verifySsl: random.below(2) === 0 }),
    }
  }

  request(): BulkRequest {
    const { random } = this
    const action = random.oneOf<BulkAction>(['edit', 'edit', 'delete', 'clone', 'recipients'])
    const flags: Record<BulkAction, () => Record<string, string>> = {
      edit: () =>
        random.oneOf<Record<string, string>>([
          { frequency: String(30 + random.below(3) * 30) },
          { port: '8443' },
          { 'set-target': random.oneOf(['new.example', 'shop.example']) },
          { 'server-address': random.oneOf(['resolve', '192.0.2.77']), protocol: 'HTTPS' },
          { 'verify-ssl': random.oneOf(['yes', 'no']), protocol: 'HTTPS' },
          { frequency: '30', port: '8080' },
        ]),
      delete: () => ({}),
      clone: () => ({ suffix: '-b' }),
      recipients: () =>
        random.oneOf<Record<string, string>>([
          { add: 'new@example.com' },
          { remove: 'p1@example.com' },
          { add: 'new@example.com', 'only-where': 'p2@example.com' },
        ]),
    }
    return parseBulk(action, {
      values: { check: random.oneOf(['web-*', 'web-*', 'web-1']) },
      flags: flags[action](),
    })
  }

  countEffect(step: string): void {
    this.effectCounts.set(step, (this.effectCounts.get(step) ?? 0) + 1)
  }

  /** Creates a CSV file with rows for existing checks and for new ones. */
  csv(): string {
    const { random, service } = this
    const account = this.currentAccount() ?? ACCOUNT
    const rows = service
      .all(account)
      .flatMap(({ name, ...check }) =>
        random.below(3) === 0
          ? []
          : [
              [
                name,
                check.protocol,
                check.target,
                check.port,
                random.oneOf([30, 60]),
                check.customerId,
                'new@example.com',
              ],
            ],
      )
    const added = ['new-1', 'new-2'].map((name) => [name, 'TCP', 'db.example', 25, 60, 1, 'p1@example.com'])
    const [columns, wanted] = random.oneOf([
      ['name,protocol,target,port,frequency,customer_id,alerts', [...rows, ...added]],
      ['name,frequency', rows.map(([name, , , , frequency]) => [name, frequency])],
      ['name,alerts', rows.map(([name]) => [name, 'new@example.com'])],
    ])
    const deletes = random.below(3) === 0
    const lines = wanted.map((cells) => [...cells, deletes && random.below(3) === 0 ? 'yes' : ''].join())
    return [`${columns},delete`, ...lines].join('\n')
  }

  async import(): Promise<void> {
    const text = this.csv()
    const before = this.service.journal.length
    const id = await this.sendCommand(PEOPLE.starter, async (deps, context) => {
      const { account } = await context.api()
      const plan = await planFile(deps, context, await readFile(Buffer.from(text)))
      const steps = plan.steps.map(({ step }) => step)
      if (steps.length === 0) return undefined
      const details = {
        verb: '/hc import',
        title: 'a.csv',
        fileName: 'a.csv',
        account,
        startedBy: PEOPLE.starter,
        planned: countPlanned(steps),
      }
      return addJob(deps, context, details, steps)
    })
    if (typeof id !== 'string') return
    // Someone may change the previewed checks before the button is pressed.
    if (this.random.below(2) === 0 && this.hasInterference) await this.interfere()
    if (this.random.below(6) === 0) this.connect()
    const done = await this.sendCommand(PEOPLE.starter, (deps, context) => startJob(deps, context, id))
    if (done !== undefined) this.countEffect('import')
    expect(this.service.journal.slice(before).filter(({ by }) => by !== 'someone else')).toEqual([])
    await this.runWaiting()
  }

  /** Previews a change, starts its job, and runs it. Until the job runs, nothing changes at the service, even if the start is refused. */
  async start(): Promise<void> {
    const { random } = this
    const request = this.request()
    const before = this.service.journal.length
    if (random.below(2) === 0) await this.answer(request)
    const done = await this.sendCommand(PEOPLE.starter, async (deps, context) => {
      const { digest } = await planBulk(deps, context, request)
      return applyBulk(deps, context, request, digest)
    })
    if (done !== undefined) this.countEffect(`start ${request.action}`)
    expect(this.service.journal).toHaveLength(before)
    await this.runWaiting()
  }

  /** Answers the preview's question about unknown server addresses. */
  async answer(request: BulkRequest): Promise<void> {
    const answer = this.random.oneOf(ADDRESS_ANSWERS)
    await this.sendCommand(PEOPLE.starter, async (deps, context) => {
      const plan = await planBulk(deps, context, request)
      // Before the answer, which may be stored even if the next preview fails.
      for (const { uuid } of plan.unknownAddresses) {
        this.countEffect('answer')
        this.answered.add(uuid)
      }
      return answerAddresses(deps, context, request, { answer, seen: plan.addressDigest })
    })
  }

  /** Sends a person's command; undefined if it was refused. */
  async sendCommand<T>(
    userId: string,
    work: Parameters<ReturnType<typeof startProcesses>['act']>[1],
  ): Promise<T | undefined> {
    this.service.by = 'nobody'
    this.refusal = ''
    return this.#processes.act(userId, work).then(
      (value) => value as T,
      (error: unknown) => {
        if (error instanceof Error) this.refusal = error.message
        if (error instanceof Question) return undefined
        if (error instanceof UserError || (error instanceof Error && error.name === 'ApiError'))
          return undefined
        if (error instanceof Error && error.name === 'OutcomeUnknown') return undefined
        throw error
      },
    )
  }

  async records(id: string): Promise<Map<number, StepResult>> {
    const found = new Map<number, StepResult>()
    for (const state of STATES)
      for await (const { line, record } of readStepsInState(this.#store.workSteps, id, state))
        if (record) found.set(line, { state, record })
    return found
  }

  /** Runs the waiting job, if there is one, and compares its result with the service, check by check. */
  async runWaiting(): Promise<void> {
    const { random, service } = this
    for (const waiting of await this.#store.work.listOpen(this.workspaceId, [CHANGES_KIND])) {
      const details = readJobDetails(waiting)
      this.trackJob(waiting.id, details)
      if (random.below(3) === 0) service.fault = { after: random.below(20), kind: this.faultKind() }
      service.by = waiting.id
      const before = await this.records(waiting.id)
      const from = service.journal.length
      const result = await this.#processes.runJob(
        random.below(3) === 0 ? random.oneOf([0, 2, 15]) : undefined,
      )
      expect(result.id).toBe(waiting.id)
      expect(result.owner, 'the owner is notified of the end').toBe(this.ownerOf(result.id))
      if (result.userId !== details.startedBy) expect(result.text).toContain(`ed by <@${result.userId}>.`)
      this.trackEnd(result)
      const account = this.accounts.get(result.id) ?? ''
      this.verify({ ...result, account }, before, await this.records(result.id), service.journal.slice(from))
      service.fault = undefined
      service.catchUp()
    }
  }
  ownerOf(id: string): string | undefined {
    return this.owners.get(this.undone.get(id) ?? id)
  }
  trackJob(id: string, { undoes = '', account }: ChangesDetails): void {
    if (this.jobs.includes(id)) return
    this.jobs.push(id)
    if (undoes === '') this.owners.set(id, PEOPLE.starter)
    else this.undone.set(id, undoes)
    this.accounts.set(id, account === accountFromToken(TOKENS.other) ? 'B' : ACCOUNT)
  }
  trackEnd({ id, text }: { id: string; text: string }): void {
    const endedEarly = text.startsWith('Stopped') || text.startsWith('Ended early')
    this.countEffect(endedEarly ? 'stop' : 'end')
    if (endedEarly) this.endedEarly.add(id)
    else this.endedEarly.delete(id)
  }
  faultKind() {
    return this.hasInterference
      ? this.random.oneOf(FAULTS)
      : this.random.oneOf(['not-sent', 'lost', 'busy'] as const)
  }
  verify(
    { id, text, account }: { id: string; text: string; account: string },
    before: ReadonlyMap<number, StepResult>,
    after: ReadonlyMap<number, StepResult>,
    written: readonly Change[],
  ): void {
    for (const change of written) expect(change.account, `${id} wrote to another account`).toBe(account)
    expectReportedCounts(text, [...after.values()])
    const createdUuids = new Set([...after.values()].map(({ record }) => record.uuid))
    for (const [line, { state, record }] of after) {
      const changes = written.filter((change) => this.belongsTo(change, record, createdUuids))
      const label = `${id} line ${line}: ${record.step.do} ${record.step.name} ${state} ${record.reason ?? ''}\n${text}`
      if (before.get(line)?.state !== state)
        this.expectActualState(account, { state, record }, changes, label)
      if (record.step.do !== 'create') expectOnlyRequested(changes, record, label, this.answered)
      else if (!this.retriedJobs.has(id))
        expect(changes.filter(({ op }) => op === 'create').length, `${label} twice`).toBeLessThanOrEqual(1)
    }
  }
  expectActualState(
    account: string,
    { state, record }: StepResult,
    changes: readonly Change[],
    label: string,
  ): void {
    const { step, uuid } = record
    const actual = this.service.find(account, uuid ?? (step.do === 'create' ? '' : step.uuid))
    const isSettled = state === 'done' || state === 'same'
    if (isSettled && step.do === 'delete') expect(actual, label).toBeUndefined()
    else if (state === 'done') expectAsRecorded(actual, record, this.service.listingKind, label)
    if (['ready', 'skipped', 'same', 'refused'].includes(state))
      expect(changes.filter((change) => !changedNothing(change)).length, label).toBe(0)
  }
  /**
   * Whether this step may have made the change. Each step of a job changes its own check. If the result of a creation isn't known, any
   * step that creates a check with this name may have made it. There are several if an undo restores two checks with the same name.
   */
  belongsTo(
    { op, uuid, after }: Change,
    { step, uuid: createdUuid }: StepRecord,
    createdUuids: ReadonlySet<string | undefined>,
  ): boolean {
    if (step.do !== 'create') return uuid === step.uuid
    return uuid === createdUuid || (op === 'create' && after?.name === step.name && !createdUuids.has(uuid))
  }

  async interfere(): Promise<void> {
    const { random, service } = this
    service.by = 'someone else'
    const account = random.below(6) === 0 ? 'B' : ACCOUNT
    const all = service.all(account)
    if (all.length === 0) return
    const check = random.oneOf(all)
    const { uuid } = check
    const kind = random.oneOf([
      'rename',
      'repoint',
      'case',
      'frequency',
      'address',
      'recipients',
      'delete',
      'recreate',
      'namesake',
    ] as const)
    if (kind === 'rename') service.change(account, uuid, { name: `live-${random.below(99)}` })
    else if (kind === 'repoint') service.change(account, uuid, { target: 'elsewhere.example' })
    else if (kind === 'case') service.change(account, uuid, { target: check.target.toUpperCase() })
    else if (kind === 'frequency') service.change(account, uuid, { frequency: 600 })
    else if (kind === 'address' && check.protocol !== 'TCP')
      service.change(account, uuid, { configuredAddress: '192.0.2.200' })
    else if (kind === 'recipients')
      service.change(account, uuid, { alerts: [{ id: '9', recipients: ['other@example.com'] }] })
    else if (kind === 'namesake')
      service.create(account, { ...this.body(random.oneOf(['web-0-b', 'web-1-b', 'web-2-b'])) })
    else if (kind === 'delete' || kind === 'recreate') {
      service.remove(account, uuid)
      const { configuredAddress, ...rest } = check
      if (kind === 'recreate')
        service.create(
          account,
          { ...rest, httpServerAddress: configuredAddress },
          check.alerts.map(({ recipients }) => recipients),
        )
    }
    this.countEffect(kind)
    service.catchUp()
  }

  connect(): void {
    const { random } = this
    const before = this.token
    this.token =
      random.below(5) === 0
        ? undefined
        : random.oneOf([TOKENS.first, TOKENS.first, TOKENS.renewed, TOKENS.other])
    if (this.token !== before)
      this.countEffect(this.token === undefined ? 'disconnect' : `connect ${this.token}`)
  }

  async step(): Promise<void> {
    const { random } = this
    const candidates = this.endedEarly.size > 0 && random.below(2) === 0 ? [...this.endedEarly] : this.jobs
    const id = candidates.length > 0 ? random.oneOf(candidates) : undefined
    const who = random.oneOf([PEOPLE.starter, PEOPLE.starter, PEOPLE.admin, PEOPLE.second, PEOPLE.other])
    const roll = random.below(100)
    if (roll < 15 || id === undefined) return this.start()
    if (roll < 22) return this.import()
    if (roll < 47) await this.continue(id, who)
    else if (roll < 52) {
      this.retriedJobs.add(id)
      await this.continue(id, who, { triesAgain: true })
    } else if (roll < 62) await this.undo(id, who)
    else if (roll < 67) await this.sendCommand(who, (deps, context) => stopJob(deps, context, id))
    else if (roll < 85) {
      if (this.hasInterference) await this.interfere()
    } else this.connect()
    await this.runWaiting()
    await this.expectOffers()
  }
  async continue(id: string, who: string, options = {}): Promise<void> {
    const done = await this.sendCommand(who, (deps, context) => startJob(deps, context, id, options))
    this.expectRights(id, who, done)
    if (done !== undefined) this.countEffect(isAdmin(who) ? `continue by ${who}` : 'continue')
  }
  expectRights(id: string, who: string, done: unknown): void {
    const isAllowed = isAdmin(who) || this.ownerOf(id) === who
    if (done !== undefined) {
      expect(isAllowed, `${who} changed ${id} without being its owner`).toBe(true)
      expect(this.currentAccount()).toBe(this.accounts.get(id) ?? this.currentAccount())
    } else if (isAllowed) expect(this.refusal).not.toContain('or an admin can')
    else if (this.refusal.includes('or an admin can'))
      expect(this.refusal).toContain(`Only <@${this.ownerOf(id)}>`)
  }

  /** `/hc undo` and `/hc jobs` only offer people their own jobs. */
  async expectOffers(): Promise<void> {
    for (const userId of Object.values(PEOPLE)) {
      const found = await this.sendCommand<Awaited<ReturnType<typeof findUndoOffers>>>(
        userId,
        (deps, context) => findUndoOffers(deps, context),
      )
      for (const { id, isUnfinishedUndo } of found?.offers ?? []) {
        expect(this.ownerOf(id), `${userId} is offered ${id}`).toBe(userId)
        const { undoes } = readJobDetails((await this.#store.work.find(this.workspaceId, id)) as Work)
        expect(undoes !== undefined, `${id} is an undo`).toBe(isUnfinishedUndo)
      }
      const ended = await this.sendCommand<Awaited<ReturnType<typeof listStoppedJobs>>>(
        userId,
        (deps, context) => listStoppedJobs(deps, context, 50),
      )
      for (const { id } of ended ?? []) expect(this.ownerOf(id)).toBe(userId)
    }
  }
  async undo(id: string, who: string): Promise<void> {
    const answer = this.random.oneOf(['resolve', 'keep', 'leave-out'] as const)
    const answered = await this.sendCommand<{ text: string }>(who, (deps, context) =>
      undoJob(deps, context, id, answer),
    )
    // Once an undo has started, pressing the button again shows how far it is.
    const done = answered?.text.startsWith('Started') ? answered : undefined
    this.expectRights(id, who, done)
    if (done !== undefined) this.countEffect(isAdmin(who) ? `undo by ${who}` : 'undo')
  }
  currentAccount(): string | undefined {
    return this.token === TOKENS.other ? 'B' : this.token && ACCOUNT
  }
}

function expectReportedCounts(text: string, results: readonly StepResult[]): void {
  const count = (state: StepState) => results.filter((result) => result.state === state).length
  const endedEarly = text.startsWith('Stopped') || text.startsWith('Ended early')
  expect(endedEarly, text).toBe(count('ready') + count('begun') > 0)
  const unnamed = results.filter(
    ({ state, record }) =>
      ['skipped', 'refused', 'unclear', 'begun'].includes(state) && !text.includes(record.step.name),
  )
  if (unnamed.length > 0) {
    const names = unnamed.map(({ record }) => record.step.name).join()
    const more = Number(/^And (\d+) more\./m.exec(text)?.[1] ?? 0)
    expect(more, `${names} aren't named or counted in: ${text}`).toBeGreaterThanOrEqual(unnamed.length)
    // A message has room for ten.
    const named = /((?:^\S+: .*\n)+)And /m.exec(text)?.[1]
    expect(named?.trimEnd().split('\n'), text).toHaveLength(10)
  }
  const counts = /^(\d+) of (\d+) done/m.exec(text)
  if (counts) expect([Number(counts[1]), Number(counts[2])]).toEqual([count('done'), results.length])
  else expect(count('done'), text).toBe(results.length)
}

const changedNothing = ({ before, after }: Change): boolean =>
  JSON.stringify(toComparable(before)) === JSON.stringify(toComparable(after))

/** Removes the fields that every write changes. */
const toComparable = (actual: StoredCheck | undefined) =>
  actual && {
    ...actual,
    modifiedAt: undefined,
    alerts: actual.alerts.map(({ recipients }) => [...recipients].sort().join()).sort(),
  }

const listsSetAddresses = (listingKind: ListingKind): boolean =>
  listingKind === 'set-only' || listingKind === 'outdated'

/** Expects that a check in the service is as the job's record of the step says. */
function expectAsRecorded(
  actual: StoredCheck | undefined,
  { step, after }: StepRecord,
  listingKind: ListingKind,
  label: string,
): void {
  expect(actual && after, label).toBeDefined()
  if (!actual || !after) return
  const { name, customerId, protocol, target, port, frequency, verifySsl, address } = after.fields
  expect(toComparable({ ...actual, alerts: [], configuredAddress: undefined }), label).toEqual(
    toComparable({
      ...({ name, customerId, protocol, target, port, frequency, verifySsl } as StoredCheck),
      uuid: actual.uuid,
      alerts: [],
      configuredAddress: undefined,
      modifiedAt: actual.modifiedAt,
    }),
  )
  if (listsSetAddresses(listingKind) && address.is !== 'unknown')
    expect(actual.configuredAddress, label).toBe(
      address.is === 'set' ? expectedAddress(actual, address.ip) : resolvedAddress(actual),
    )
  // Unless the step changed the recipients, its record says nothing about them.
  if (step.do !== 'create' && !(step.do === 'edit' && step.alerts)) return
  const sortLists = (all: readonly { recipients: readonly string[] }[]) =>
    all.map(({ recipients }) => [...recipients].sort().join()).sort()
  expect(sortLists(actual.alerts), label).toEqual(sortLists(after.alerts))
}

/** The setting to expect after this address was set. If it equals the target, the service may not store it as a setting. */
const expectedAddress = ({ configuredAddress, target }: StoredCheck, ip: string): string | undefined =>
  configuredAddress === undefined && target === ip ? undefined : ip

/** The setting to expect if the service resolves the address. A set address that equals the target looks like a resolved one. */
const resolvedAddress = ({ configuredAddress, target }: StoredCheck): string | undefined =>
  configuredAddress === target ? configuredAddress : undefined

const FIELDS = [
  'name',
  'customerId',
  'protocol',
  'target',
  'port',
  'frequency',
  'verifySsl',
  'configuredAddress',
] as const

/** Expects that a step made only the requested change, and only to the check in the preview. */
function expectOnlyRequested(
  changes: readonly Change[],
  { step }: StepRecord,
  label: string,
  answered: ReadonlySet<string>,
): void {
  const [first] = changes
  if (!first?.before || step.do === 'create') return
  for (const field of ['name', 'customerId', 'target'] as const)
    expect(String(first.before[field]).toLowerCase(), `${label} wrote to another ${field}`).toBe(
      String(step.expects[field]).toLowerCase(),
    )
  if (step.do !== 'edit') return
  for (const { op, before, after } of changes) {
    if (op === 'alerts') expect(step.alerts, `${label} changed recipients`).toBeDefined()
    else if (before && after)
      expectRequestedFields(before, after, step, { label, mayWriteAddress: answered.has(before.uuid) })
  }
}

function expectRequestedFields(
  before: StoredCheck,
  after: StoredCheck,
  { set }: Edit,
  { label, mayWriteAddress }: { label: string; mayWriteAddress: boolean },
): void {
  for (const field of FIELDS.filter((name) => before[name] !== after[name])) {
    const isAddress = field === 'configuredAddress'
    const isRequested = (isAddress ? 'address' : field) in set
    expect(isRequested || (isAddress && mayWriteAddress), `${label} changed ${field}`).toBe(true)
  }
}

/** Lets the job's owner continue it to its end, and then undo it. Returns the results of both jobs. */
async function finish(model: Model, main: string): Promise<StepResult[]> {
  model.token = TOKENS.renewed
  const findOwner = (id: string) => model.ownerOf(id) ?? ''
  for (let index = 0; index < 4; index += 1) {
    await model.continue(main, findOwner(main))
    await model.runWaiting()
  }
  const done = await model.records(main)
  await model.undo(main, findOwner(main))
  for (let index = 0; index < 4; index += 1) {
    await model.runWaiting()
    const undo = model.jobs.at(-1)
    if (undo !== undefined && undo !== main) await model.continue(undo, findOwner(undo))
  }
  await model.runWaiting()
  const undo = model.jobs.at(-1)
  const undone = undo === undefined || undo === main ? [] : (await model.records(undo)).values()
  return [...done.values(), ...undone]
}

async function runRandomSequence(
  store: Store,
  seed: number,
  effectCounts: Map<string, number>,
): Promise<void> {
  const random = createRandom(seed)
  const listingKind = random.oneOf(LISTING_KINDS)
  const model = new Model(store, `T${seed}`, { random, listingKind, effectCounts })
  const start = model.service.all(ACCOUNT).map(toComparable)
  await model.start()
  for (let index = 0; index < 12; index += 1) await model.step()
  const [main] = model.jobs
  if (main === undefined) return
  const isAlone = !model.hasInterference && model.jobs.length === 1 && model.accounts.get(main) === ACCOUNT
  const all = await finish(model, main)
  if (!isAlone || model.jobs.length !== 2) return
  if (!all.every(({ state }) => state === 'done' || state === 'same')) return
  model.countEffect('undone without a trace')
  const withoutAddress = (checks: ReturnType<typeof toComparable>[]) =>
    checks
      .map((check) => JSON.stringify(Object.entries({ ...check, uuid: 0, configuredAddress: 0 }).sort()))
      .sort()
  expect(
    withoutAddress(model.service.all(ACCOUNT).map(toComparable)),
    `${listingKind} ${JSON.stringify(all)}`,
  ).toEqual(withoutAddress(start))
}

/** The steps that must each occur at least once in a long run, so that the model covers them. */
const STEPS = [
  ...['start edit', 'start delete', 'start clone', 'start recipients', 'import', 'stop', 'end'],
  ...['continue', `continue by ${PEOPLE.admin}`, `continue by ${PEOPLE.second}`],
  ...['undo', `undo by ${PEOPLE.admin}`, `undo by ${PEOPLE.second}`],
  ...['disconnect', ...Object.values(TOKENS).map((token) => `connect ${token}`)],
  ...['rename', 'repoint', 'case', 'frequency', 'address', 'recipients', 'delete', 'recreate', 'namesake'],
  ...[...FAULTS, 'restart'],
]

it(`reports the service’s actual state of every check in ${RUNS} sequences (seed ${SEED})`, {
  timeout: 120_000 + RUNS * 3000,
}, async () => {
  await using store = await openJobStore()
  const failed: string[] = []
  const effectCounts = new Map<string, number>()
  for (let index = 0; index < RUNS; index += 1)
    await runRandomSequence(store, SEED + index, effectCounts).catch(async (error: unknown) => {
      const unfinished = await store.work.listOpen(`T${SEED + index}`, [CHANGES_KIND])
      for (const { id } of unfinished) await store.work.stop(`T${SEED + index}`, id)
      failed.push(
        `SEED=${SEED + index} JOB_RUNS=1: ${error instanceof Error ? `${error.message} ${error.stack}` : error}`,
      )
    })
  expect(failed.slice(0, 6).join('\n\n'), `${failed.length} failed`).toBe('')
  process.stdout.write(`${JSON.stringify(Object.fromEntries([...effectCounts].sort()))}\n`)
  if (RUNS >= 300) for (const step of STEPS) expect(effectCounts.get(step) ?? 0, step).toBeGreaterThan(0)
})
