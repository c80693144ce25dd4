import { openAct } from '../../../../packages/durable/src/engine/act.ts'
import { trackLeasedWork } from '../../../../packages/durable/src/engine/leased-work.ts'
import { openStore } from '../../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../../src/bot/acts/act-errors.ts'
import { createAuditedSteps } from '../../../../src/bot/audit/audited-step.ts'
import { createQueue, readJobBody } from '../../../../src/bot/jobs/job-queue.ts'
import type { CommandContext } from '../../../../src/bot/routes/command-context.ts'
import type { JobRun } from '../../../../src/bot/routes/routes.ts'
import { createAccountProof } from '../../../../src/bot/workspaces/account-proof.ts'
import type { ServerAddresses } from '../../../../src/domain/server-addresses.ts'
import type { PlanDeps } from '../../../../src/features/health-checks/bulk/plan-bulk.ts'
import { CHANGES_KIND, changesJob } from '../../../../src/features/health-checks/jobs/changes-job.ts'
import type { JobDeps } from '../../../../src/features/health-checks/jobs/start-job.ts'
import { createKnownAddresses } from '../../../../src/features/health-checks/rows/known-addresses.ts'
import { createMoveToReplacements } from '../../../../src/features/health-checks/rows/replaced-checks.ts'
import type { ChangesDetails } from '../../../../src/features/health-checks/rules/job.ts'
import type { Api } from '../../../../src/service/service.ts'
import type { Random } from '../../../random.ts'
import { simulateProcess } from '../../../simulated-process.ts'

type Store = Awaited<ReturnType<typeof openStore>>
type WrapCalls = ReturnType<typeof simulateProcess>['wrapCalls']

export const openJobStore = (): Promise<Store> => openStore({ url: 'sqlite::memory:' })

/** Two operators and two admins. */
export const PEOPLE = { starter: 'U1', admin: 'U2', other: 'U3', second: 'U4' } as const

const ADMINS: readonly string[] = [PEOPLE.admin, PEOPLE.second]

export const isAdmin = (userId: string): boolean => ADMINS.includes(userId)

/** Runs commands and jobs of one workspace in processes that may die at any call to the service or the store. */
export function startProcesses(
  store: Store,
  {
    workspaceId,
    random,
    deaths,
    api,
    listShows,
    onDeath = () => undefined,
  }: {
    workspaceId: string
    random: Random
    deaths: { left: number }
    api(): Promise<Api>
    /** Which server addresses the operator says that the list shows. */
    listShows: ServerAddresses
    onDeath?: () => void
  },
) {
  let acts = 0
  const known = (wrapCalls: WrapCalls) =>
    createKnownAddresses(wrapCalls(store.ephemeralState), { production: listShows, ote: listShows })

  /** Runs the work in one process after another until one of them survives. Waits for the pending calls of each dead process. */
  async function runUntilDone<T>(work: (wrapCalls: WrapCalls) => Promise<T>): Promise<T> {
    for (;;) {
      const open = { calls: 0 }
      const willDie = deaths.left > 0 && random.below(3) === 0
      const death = willDie ? { afterCalls: random.below(50), isBefore: random.below(2) === 0 } : undefined
      const life = simulateProcess(() => undefined, death, open)
      const result = await Promise.race([
        work(life.wrapCalls).then((value) => ({ value })),
        life.died.then(() => undefined),
      ])
      if (result) return result.value
      deaths.left -= 1
      onDeath()
      while (open.calls > 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Wraps the service's API, so that the process may die at any of its calls, except `listAll`. */
  function wrapApi(real: Api, wrapCalls: WrapCalls, onCall: () => void): Api {
    const countCalls = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get:
          (target, name) =>
          (...args: unknown[]) => {
            onCall()
            // All properties are functions.
            return Reflect.apply(Reflect.get(target, name) as () => unknown, target, args)
          },
      })
    const { listAll, ...healthChecks } = real.healthChecks
    return {
      ...real,
      alerts: countCalls(wrapCalls(real.alerts)),
      healthChecks: { ...countCalls(wrapCalls(healthChecks)), listAll },
    }
  }

  const createDeps = (wrapCalls: WrapCalls): JobDeps & PlanDeps => ({
    queue: createQueue(wrapCalls(store.work), { wake: () => undefined, runNow: async () => undefined }),
    steps: wrapCalls(store.workSteps),
    ephemeralState: wrapCalls(store.ephemeralState),
    moveToReplacements: createMoveToReplacements(
      wrapCalls(store.ephemeralState),
      wrapCalls(store.watching).moveWatches,
    ),
    knownAddresses: known(wrapCalls),
    accountProof: createAccountProof(wrapCalls(store.ephemeralState)),
  })

  return {
    /** Sends a person's command, and resumes it until it is answered. Throws the refusal that the person sees. */
    async act<T>(
      userId: string,
      work: (deps: JobDeps & PlanDeps, context: CommandContext) => Promise<T>,
    ): Promise<T> {
      acts += 1
      const { work: row } = await store.work.begin({ workspaceId, kind: 'act', key: `act ${acts}` }, 'me')
      let attempts = 0
      return runUntilDone(async (wrapCalls) => {
        attempts += 1
        const leased = trackLeasedWork('me').add({ ...row, attempts })
        const steps = wrapCalls(store.recordedSteps)
        const lateOutcomes = wrapCalls(store.lateOutcomes)
        const act = await openAct({ steps, lateOutcomes, errors: ACT_ERRORS, settleMs: 1 }, leased)
        const identity = { workspaceId, userId, homeId: workspaceId, reference: 'R', act }
        const context = {
          ...identity,
          environment: 'production',
          now: new Date(),
          api: async () => wrapApi(await api(), wrapCalls, () => undefined),
          hasRoleOrThrow: async (id: string, role: string) => role !== 'admin' || isAdmin(id),
          ...createAuditedSteps({
            audit: wrapCalls(store.audit),
            refusalLog: { write: async () => undefined },
            idempotencyKeys: wrapCalls(store.idempotencyKeys),
            request: identity,
            environment: 'production',
            now: () => new Date(),
            recheckAccess: async () => undefined,
          }),
          // The tests use only these properties.
        } as unknown as CommandContext
        const result = await work(createDeps(wrapCalls), context)
        await act.recordUnknownSteps()
        return result
      })
    },

    /** Runs the waiting job, and stops it after this many requests to the service. Returns its last message. */
    async runJob(stopsAfter = Number.POSITIVE_INFINITY): Promise<{
      id: string
      text: string
      owner: string
      userId: string
      files: string[]
      progress: string[]
    }> {
      const [job] = await store.work.claimDue('me', [CHANGES_KIND], 1)
      if (!job)
        throw new Error(
          `No job is due: ${JSON.stringify(await store.work.listOpen(workspaceId, [CHANGES_KIND]))}`,
        )
      const { caller, details } = readJobBody(job)
      let calls = 0
      let files: string[] = []
      const progress: string[] = []
      const ended = await runUntilDone(async (wrapCalls) => {
        files = []
        const { steps, ...deps } = createDeps(wrapCalls)
        const kind = changesJob({
          ...deps,
          // Makes every begun step look an hour old, so that no earlier process can still be working on it.
          steps: {
            ...steps,
            listBegun: async (id) =>
              (await steps.listBegun(id)).map((step) => ({ ...step, begunMsAgo: 3_600_000 })),
          },
        })
        const countCall = () => {
          calls += 1
        }
        const run = {
          id: job.id,
          leaseOwner: 'me',
          // `details` was stored by `addJob`, so its type is known.
          details: details as ChangesDetails,
          context: {
            workspaceId,
            userId: caller.userId,
            environment: 'production',
            now: new Date(),
            api: async () => wrapApi(await api(), wrapCalls, countCall),
            showProgress: async () => undefined,
          },
          signal: new AbortController().signal,
          auditEvent: (target: { verb: string; object: string }, outcome: 'done') => ({
            ...target,
            workspaceId,
            at: new Date(),
            actor: { userId: caller.userId },
            outcome,
            reference: 'R',
          }),
          recheckAccess: async () => undefined,
          isStopped: () => calls >= stopsAfter,
          settleMs: 600_000,
          now: () => new Date(),
          showProgress: async ({ text }: { text: string }) => void progress.push(text),
          upload: async ({ body }: { body: Buffer }) => void files.push(String(body)),
          // The job uses only these properties.
        } as unknown as JobRun<ChangesDetails>
        const { message, isDone } = await kind.run(run)
        const end = { ...run, ...run.context, now: run.now() }
        return { message, isDone, owner: (await kind.findOwner?.(end)) ?? caller.userId }
      })
      await store.work.release(job.id, 'me', { state: ended.isDone ? 'done' : 'stopped' })
      const { message, owner } = ended
      return { id: job.id, text: message.text, owner, userId: caller.userId, files, progress }
    },
  }
}
