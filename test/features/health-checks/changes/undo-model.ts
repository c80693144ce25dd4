import { startSandbox } from '@signalman/sandbox'
import { openAct } from '../../../../packages/durable/src/engine/act.ts'
import { createHoldings } from '../../../../packages/durable/src/engine/held-work.ts'
import { openStore } from '../../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../../src/bot/acts/act-errors.ts'
import { recording } from '../../../../src/bot/audit/audited-step.ts'
import { createQueue, jobBodyOf } from '../../../../src/bot/jobs/job-queue.ts'
import type { CommandContext } from '../../../../src/bot/routes/command-context.ts'
import type { JobRun } from '../../../../src/bot/routes/routes.ts'
import type { Environment } from '../../../../src/domain/environment.ts'
import { BULK, changesJob } from '../../../../src/features/health-checks/changes/changes-job.ts'
import { takePlaces } from '../../../../src/features/health-checks/changes/places.ts'
import type { UndoParts } from '../../../../src/features/health-checks/changes/undo.ts'
import type { ChangesAbout } from '../../../../src/features/health-checks/changes/views.ts'
import { type Api, createService } from '../../../../src/service/service.ts'
import { beginLife } from '../../../mortal-life.ts'
import type { Random } from '../../../random.ts'
import { createSandboxControl } from '../../../sandbox-control.ts'

export const ENVIRONMENTS = ['production', 'ote'] as const satisfies readonly Environment[]

type Mortal = ReturnType<typeof beginLife>['mortal']

/** The service in both environments and one database, which any number of workspaces share. */
export async function startShared() {
  await using started = new AsyncDisposableStack()
  const store = started.use(await openStore({ url: 'sqlite::memory:' }))
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const baseUrls = { production: sandbox.productionUrl, ote: sandbox.oteUrl }
  const service = started.use(createService({ baseUrls, retry: { attempts: 1 } }))
  const apiOf = (environment: Environment) => service.with({ environment, token: sandbox.token })
  const controls = {
    production: createSandboxControl(sandbox),
    ote: createSandboxControl({ ...sandbox, productionUrl: sandbox.oteUrl }),
  }
  const everything = started.move()
  return { store, apiOf, controls, [Symbol.asyncDispose]: () => everything.disposeAsync() }
}

export type Shared = Awaited<ReturnType<typeof startShared>>

/** Acts and jobs of one workspace, done by processes that die at any call to the service or the store. */
export function processesOf(
  { store, apiOf }: Shared,
  { workspaceId, random, deaths }: { workspaceId: string; random: Random; deaths: { left: number } },
) {
  let acts = 0

  /** Does the work in one life after another. What was under way in one that dies ends before the next one begins. */
  async function inLives<T>(work: (mortal: Mortal) => Promise<T>): Promise<T> {
    for (;;) {
      const open = { calls: 0 }
      const dies = deaths.left > 0 && random.below(3) === 0
      const death = dies ? { afterCalls: random.below(50), isBefore: random.below(2) === 0 } : undefined
      const life = beginLife(() => undefined, death, open)
      const ended = await Promise.race([
        work(life.mortal).then((value) => ({ value })),
        life.died.then(() => undefined),
      ])
      if (ended) return ended.value
      deaths.left -= 1
      while (open.calls > 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Its listings are read as they are: whoever dies in between asks for nothing more. */
  function mortalApi(api: Api, mortal: Mortal, onCall: () => void = () => undefined): Api {
    const told = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get:
          (target, name) =>
          (...given: unknown[]) => {
            onCall()
            // All of it are functions.
            return Reflect.apply(Reflect.get(target, name) as () => unknown, target, given)
          },
      })
    const { listAll, ...healthChecks } = api.healthChecks
    return {
      ...api,
      alerts: told(mortal(api.alerts)),
      healthChecks: { ...told(mortal(healthChecks)), listAll },
    }
  }

  const partsOf = (mortal: Mortal): UndoParts => ({
    queue: createQueue(mortal(store.work), () => undefined),
    steps: mortal(store.workSteps),
    ephemeralState: mortal(store.ephemeralState),
    carryChecks: takePlaces(mortal(store.ephemeralState), mortal(store.watching).carryChecks),
  })

  return {
    /** What a person asks for in an environment, gone on with until it is answered. Throws what they read as a refusal. */
    async act<T>(
      environment: Environment,
      work: (parts: UndoParts, context: CommandContext) => Promise<T>,
    ): Promise<T> {
      acts += 1
      const key = `act ${acts}`
      const { work: row } = await store.work.begin({ workspaceId, kind: 'act', key }, 'me')
      let attempts = 0
      return inLives(async (mortal) => {
        attempts += 1
        const held = createHoldings('me').hold({ ...row, attempts })
        const steps = mortal(store.recordedSteps)
        const journal = mortal(store.outcomeJournal)
        const act = await openAct({ steps, journal, errors: ACT_ERRORS, settleMs: 1 }, held)
        const place = { workspaceId, userId: 'U1', userTeamId: workspaceId, reference: 'R', act }
        const context = {
          ...place,
          environment,
          now: new Date(),
          api: async (wanted = environment) => mortalApi(apiOf(wanted), mortal),
          ...recording({
            audit: mortal(store.audit),
            refusalLog: { write: async () => undefined },
            idempotencyKeys: mortal(store.idempotencyKeys),
            request: place,
            environment,
            admission: undefined,
            now: () => new Date(),
            readmit: async () => undefined,
          }),
          // Nothing here asks for more.
        } as unknown as CommandContext
        const result = await work(partsOf(mortal), context)
        await act.leaveOpen()
        return result
      })
    },

    /** Runs the job that waits, and stops it after so many requests to the service. Returns what its person is told. */
    async runJob(stopsAfter = Number.POSITIVE_INFINITY): Promise<{ id: string; text: string }> {
      const [job] = (await Array.fromAsync(store.work.claimDue('me', [BULK], 1))).flat()
      if (!job) throw new Error(`No job waits: ${JSON.stringify(await store.work.open(workspaceId, [BULK]))}`)
      const { environment, about } = jobBodyOf(job)
      let calls = 0
      const ended = await inLives(async (mortal) => {
        const steps = mortal(store.workSteps)
        const kind = changesJob(BULK, '/hc bulk', {
          // No earlier life is at it any more.
          steps: {
            ...steps,
            begun: async (id) => (await steps.begun(id)).map((step) => ({ ...step, begunMsAgo: 3_600_000 })),
          },
          carryChecks: mortal(store.watching).carryChecks,
          ephemeralState: mortal(store.ephemeralState),
        })
        const api = mortalApi(apiOf(environment), mortal, () => {
          calls += 1
        })
        const run = {
          id: job.id,
          owner: 'me',
          // Put there by whoever added it.
          about: about as ChangesAbout,
          context: { workspaceId, userId: 'U1', environment, now: new Date(), api: async () => api },
          signal: new AbortController().signal,
          auditEvent: (what: { verb: string; object: string }, outcome: 'done') => ({
            ...what,
            workspaceId,
            at: new Date(),
            actor: { userId: 'U1' },
            outcome,
            reference: 'R',
          }),
          readmit: async () => undefined,
          isStopped: () => calls >= stopsAfter,
          settleMs: 600_000,
          now: () => new Date(),
          tell: async () => undefined,
          upload: async () => undefined,
          // It asks for nothing else.
        } as unknown as JobRun<ChangesAbout>
        return await kind.run(run)
      })
      await store.work.release(job.id, 'me', { state: ended.isDone ? 'done' : 'stopped' })
      return { id: job.id, text: ended.message.text }
    },
  }
}
