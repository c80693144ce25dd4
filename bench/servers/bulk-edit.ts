import { newId } from '@signalman/runtime'
import { openStore, type Store } from '../../src/app/store.ts'
import type { JobRun } from '../../src/bot/routes/routes.ts'
import { createAccountProof } from '../../src/bot/workspaces/account-proof.ts'
import { CHANGES_KIND, changesJob } from '../../src/features/health-checks/jobs/changes-job.ts'
import { settleEach } from '../../src/features/health-checks/jobs/settle-each.ts'
import { countPlanned, toJobSteps } from '../../src/features/health-checks/jobs/start-job.ts'
import { createKnownAddresses } from '../../src/features/health-checks/rows/known-addresses.ts'
import type { Edit } from '../../src/features/health-checks/rules/change.ts'
import type { ChangesDetails } from '../../src/features/health-checks/rules/job.ts'
import type { HealthCheck } from '../../src/service/health-checks.ts'
import { type Api, createService } from '../../src/service/service.ts'
import { serveCalls } from '../parts/calls.ts'
import { ENCRYPTION_KEYS } from '../parts/slack.ts'

export interface BulkEditSettings {
  serviceUrl: string
  token: string
  databaseUrl: string
}

/**
 * How to set the frequency of every check: `holding` like the app, which holds each check while it reads and writes it; `unheld`, the
 * same job without holds; or `calls`, the same requests without a job.
 */
export type EditStrategy = 'holding' | 'unheld' | 'calls'

const WORKSPACE = 'T0BENCH'
const OWNER = 'bench'

/** Edits all checks of a service, as one bulk change. */
serveCalls(async (settings) => {
  // `startChild` passes these settings.
  const { serviceUrl, token, databaseUrl } = settings as BulkEditSettings
  const store = await openStore({ url: databaseUrl, keys: ENCRYPTION_KEYS })
  const service = createService({ baseUrls: { production: serviceUrl, ote: serviceUrl } })
  const api = service.with({ environment: 'production', token })
  const checks: HealthCheck[] = []
  for await (const { results } of api.healthChecks.listAll()) checks.push(...results)

  const strategies: Record<EditStrategy, (frequency: number) => Promise<number>> = {
    holding: (frequency) => editByJob(store, api, checks, { frequency, steps: store.workSteps }),
    unheld: (frequency) => editByJob(store, api, checks, { frequency, steps: withoutHolds(store.workSteps) }),
    calls: (frequency) => editByCalls(api, checks, frequency),
  }
  return {
    ready: checks.length,
    handlers: {
      /** Returns the milliseconds that it took. `bulk-edit.ts` passes the strategy and the frequency. */
      async edit(argument) {
        const { strategy, frequency } = argument as { strategy: EditStrategy; frequency: number }
        globalThis.gc?.()
        const ms = await strategies[strategy](frequency)
        for await (const { results } of api.healthChecks.listAll())
          if (results.some((check) => check.frequency !== frequency))
            throw new Error(`${strategy} did not edit every check.`)
        return ms
      },
    },
  }
})

/** The steps of jobs, for a job that holds nothing. */
const withoutHolds = (steps: Store['workSteps']): Store['workSteps'] => ({
  ...steps,
  takeHolds: async (_, keys) => new Map(keys.map((key) => [key, { key, mark: newId() }])),
  begin: (workId, owner, begun) =>
    steps.begin(
      workId,
      owner,
      begun.map((step) => ({ ...step, hold: undefined })),
    ),
  releaseHolds: async () => undefined,
  releaseAllHolds: async () => undefined,
})

async function editByJob(
  { work, workSteps, ephemeralState }: Store,
  api: Api,
  checks: readonly HealthCheck[],
  { frequency, steps }: { frequency: number; steps: Store['workSteps'] },
): Promise<number> {
  const edits = checks.map((check, index) => toEdit(check, index + 1, frequency))
  const details: ChangesDetails = {
    verb: '/hc edit',
    title: 'bench',
    planned: countPlanned(edits),
    account: api.account,
    startedBy: 'U0BENCH',
  }
  const id = await work.add({ workspaceId: WORKSPACE, kind: CHANGES_KIND, body: { details } }, 'prepared')
  await workSteps.add(id, toJobSteps(edits))
  await work.start(WORKSPACE, id)
  await work.claimDue(OWNER, [CHANGES_KIND], 1)
  const kind = changesJob({
    steps,
    ephemeralState,
    moveToReplacements: async () => ({ watches: 0, silences: 0 }),
    knownAddresses: createKnownAddresses(ephemeralState, { production: 'given', ote: 'given' }),
    accountProof: createAccountProof(ephemeralState),
  })
  const started = performance.now()
  await kind.run(createRun(id, details, api))
  const ms = performance.now() - started
  await work.release(id, OWNER, { state: 'done' })
  return ms
}

const toEdit = (check: HealthCheck, line: number, frequency: number): Edit => ({
  do: 'edit',
  line,
  name: check.name,
  uuid: check.uuid,
  set: { frequency },
  expects: {},
  // The preview has read the address of this version.
  seen: { modifiedAt: check.modifiedAt?.toISOString(), address: { is: 'resolve' } },
})

/** A run of a job that nobody stops and that posts nothing. */
const createRun = (id: string, details: ChangesDetails, api: Api): JobRun<ChangesDetails> =>
  ({
    id,
    leaseOwner: OWNER,
    details,
    context: {
      workspaceId: WORKSPACE,
      userId: details.startedBy,
      environment: 'production',
      now: new Date(),
      api: async () => api,
    },
    signal: new AbortController().signal,
    auditEvent: (target: object, outcome: string) => ({
      ...target,
      workspaceId: WORKSPACE,
      at: new Date(),
      actor: { userId: details.startedBy },
      outcome,
      reference: 'bench',
    }),
    recheckAccess: async () => undefined,
    isStopped: () => false,
    settleMs: 25_000,
    now: () => new Date(),
    showProgress: async () => undefined,
    upload: async () => undefined,
    // The job uses only these properties.
  }) as unknown as JobRun<ChangesDetails>

async function editByCalls(
  { healthChecks }: Api,
  checks: readonly HealthCheck[],
  frequency: number,
): Promise<number> {
  const started = performance.now()
  const results = await settleEach(checks, async ({ uuid }) => {
    const { name, customerId, protocol, target, port, verifySsl } = await healthChecks.get(uuid)
    if (!customerId || !protocol || !target || !port) throw new Error(`${name} lacks a setting.`)
    return healthChecks.update(uuid, { name, customerId, protocol, target, port, frequency, verifySsl })
  })
  for (const result of results) if ('error' in result) throw result.error
  return performance.now() - started
}
