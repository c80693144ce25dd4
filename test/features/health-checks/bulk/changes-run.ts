import { newId } from '@signalman/runtime'
import type { Upload } from '@signalman/slack'
import type { Store } from '../../../../src/app/store.ts'
import type { JobEndedByError, JobRun } from '../../../../src/bot/jobs/job-kind.ts'
import { type ChangesDeps, changesJob } from '../../../../src/features/health-checks/bulk/job.ts'
import { toStoredRow } from '../../../../src/features/health-checks/bulk/job-rows.ts'
import type { ChangesDetails } from '../../../../src/features/health-checks/rules/plan.ts'
import type { Row } from '../../../../src/features/health-checks/rules/row.ts'
import type { AlertBody } from '../../../../src/service/alerts.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import type { HealthCheckBody, HealthCheckQuery } from '../../../../src/service/health-checks.ts'

export const createSettings = (name: string): HealthCheckBody => ({
  name,
  protocol: 'TCP',
  target: 'www.example.com',
  port: 443,
  frequency: 60,
  customerId: 1,
})

/** What the service does with a call: throws, or saves something else. By default, it carries it out. */
export type Answer = (
  call: 'get' | 'update',
  uuid: string,
  body: HealthCheckBody,
) => HealthCheckBody | undefined

/** A service whose checks have their names as UUIDs, and these alerts. `posted`: the names of the checks that it was asked to create. */
export function createService(
  names: readonly string[],
  { alerts: initial = [], answer = () => undefined }: { alerts?: readonly AlertBody[]; answer?: Answer } = {},
) {
  const toStored = (alert: AlertBody, index: number) => ({ ...alert, id: String(index + 1) })
  const checks = new Map(
    names.map((name) => [
      name,
      { check: { uuid: name, ...createSettings(name) }, alerts: initial.map(toStored) },
    ]),
  )
  const posted: string[] = []
  let lastId = initial.length
  const find = (uuid: string) => {
    const found = checks.get(uuid)
    if (!found) throw new ApiError('not-found', 'There is no such check.', { status: 404 })
    return found
  }
  const healthChecks = {
    async get(uuid: string) {
      answer('get', uuid, createSettings(uuid))
      return { ...find(uuid).check }
    },
    async *listAll(_query: HealthCheckQuery) {
      yield { results: [...checks.values()].map(({ check }) => check), total: checks.size, unreadable: 0 }
    },
    async create(body: HealthCheckBody) {
      posted.push(body.name)
      const check = { uuid: body.name, ...body }
      checks.set(body.name, { check, alerts: [] })
      return check
    },
    async update(uuid: string, body: HealthCheckBody) {
      const saved = { uuid, ...(answer('update', uuid, body) ?? body) }
      find(uuid).check = saved
      return saved
    },
    async delete(uuid: string) {
      find(uuid)
      checks.delete(uuid)
    },
  }
  const alerts = {
    list: async (uuid: string) => structuredClone(find(uuid).alerts),
    async create(uuid: string, { type, recipients }: AlertBody) {
      lastId += 1
      find(uuid).alerts.push({ id: String(lastId), type, recipients: [...recipients] })
    },
    async update(uuid: string, id: string, { recipients }: AlertBody) {
      const found = find(uuid).alerts.find((each) => each.id === id)
      if (found) found.recipients = [...recipients]
    },
    async delete(uuid: string, id: string) {
      const { alerts } = find(uuid)
      alerts.splice(
        alerts.findIndex((each) => each.id === id),
        1,
      )
    },
  }
  // Each service has its own address, so that changes of several can't wait for the same locks.
  return { api: { address: `https://${newId()}`, account: 'A', healthChecks, alerts }, checks, posted }
}

export type FakeService = ReturnType<typeof createService>

const DETAILS: ChangesDetails = {
  verb: '/hc edit',
  title: 'Set frequency to every 30 s on health checks',
  account: 'A',
}

/** How the rows of a job have ended, or the states of those that haven't. */
export const listEnds = async ({ steps }: Pick<Store, 'steps'>, id: string): Promise<string[]> =>
  (await steps.list(id, { limit: 1000 })).map((step) => toStoredRow(step)?.end?.is ?? step.state)

/** The job of a store, in a workspace that watches nothing. */
export const createJobKind = (
  { steps, checkLocks: locks }: Pick<Store, 'steps' | 'checkLocks'>,
  watched: ChangesDeps['watched'] = {
    describeRenames: async () => undefined,
    follow: async () => undefined,
  },
) => changesJob({ steps, locks, watched })

/** Adds a job of these rows to the store, which this process has. Returns what the job gets to run, and to say how it ended. */
export async function addJob({ work, steps }: Store, rows: readonly Row[], api: FakeService['api']) {
  const { id } = (await work.begin({ workspaceId: 'T1', kind: 'k', key: newId() }, 'one')).work
  await steps.add(
    id,
    rows.map((row) => ({ line: row.line, body: { row } })),
  )
  const files: string[] = []
  const audited: string[] = []
  const kept = new Map<string, unknown>()
  const event = { workspaceId: 'T1', at: new Date(), actor: { userId: 'U1' }, verb: 'v', reference: 'R' }
  const ending = {
    id,
    details: DETAILS,
    environment: 'production' as const,
    workspaceId: 'T1',
    auditEvent({ object = '' }, outcome) {
      audited.push(`${object} ${outcome}`)
      return { ...event, object, outcome }
    },
    async once<T>(name: string, make: () => Promise<T>): Promise<T> {
      if (!kept.has(name)) kept.set(name, await make())
      // Cast, because it's what the same name made before.
      return kept.get(name) as T
    },
    async upload({ body }: Upload) {
      files.push(String(body))
      return `F${files.length}`
    },
  } satisfies JobEndedByError<ChangesDetails>
  // Cast: these are all that this job uses.
  const run = {
    ...ending,
    leaseOwner: 'one',
    context: { api: async () => api, environment: 'production', workspaceId: 'T1' },
    signal: new AbortController().signal,
    maxInFlightMs: 40,
    isStopped: () => false,
    recheckAccess: async () => undefined,
    showProgress: async () => undefined,
  } as unknown as JobRun<ChangesDetails>
  return { files, audited, ending, run }
}
