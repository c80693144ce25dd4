import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { openAct } from '../../../packages/durable/src/engine/act.ts'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../src/bot/acts/act-errors.ts'
import { createAuditedSteps } from '../../../src/bot/audit/audited-step.ts'
import { createQueue } from '../../../src/bot/jobs/job-queue.ts'
import type { CommandContext } from '../../../src/bot/routes/command-context.ts'
import { createAccountProof } from '../../../src/bot/workspaces/account-proof.ts'
import type { BulkRequest } from '../../../src/features/health-checks/bulk/parse.ts'
import { planBulk } from '../../../src/features/health-checks/bulk/plan-bulk.ts'
import { createKnownAddresses } from '../../../src/features/health-checks/rows/known-addresses.ts'
import { createService } from '../../../src/service/service.ts'
import { createSandboxControl } from '../../sandbox-control.ts'

export const WORKSPACE = 'T1'

/** Starts one command that several processes resume in turn, with a shared store and service. */
export async function startAct(url = 'sqlite::memory:') {
  await using started = new AsyncDisposableStack()
  const store = started.use(await openStore({ url }))
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const baseUrls = { production: sandbox.productionUrl, ote: sandbox.oteUrl }
  const service = started.use(createService({ baseUrls }))
  const api = service.with({ environment: 'production', token: sandbox.token })
  const { work } = await store.work.begin({ workspaceId: WORKSPACE, kind: 'act', key: 'a' }, 'me')
  const knownAddresses = createKnownAddresses(store.ephemeralState, { production: 'given', ote: 'given' })
  let attempts = 0

  /** Resumes the command in the next process. `failing` replaces parts of its store. */
  async function resume(failing: Partial<Pick<Store, 'lateOutcomes' | 'workSteps'>> = {}) {
    attempts += 1
    const leased = trackLeasedWork('me').add({ ...work, attempts })
    const lateOutcomes = failing.lateOutcomes ?? store.lateOutcomes
    const act = await openAct(
      { steps: store.recordedSteps, lateOutcomes, errors: ACT_ERRORS, settleMs: 1 },
      leased,
    )
    const identity = { workspaceId: WORKSPACE, userId: 'U1', homeId: WORKSPACE, reference: 'R', act }
    const context = {
      ...identity,
      environment: 'production',
      now: new Date(),
      api: async () => api,
      ...createAuditedSteps({
        audit: store.audit,
        refusalLog: { write: async (refusal) => void (await store.audit.append(refusal)) },
        idempotencyKeys: store.idempotencyKeys,
        request: identity,
        environment: 'production',
        now: () => new Date(),
        recheckAccess: async () => undefined,
      }),
      // The tests use only these properties.
    } as unknown as CommandContext
    const deps = {
      queue: createQueue(store.work, { wake: () => undefined, runNow: async () => undefined }),
      steps: failing.workSteps ?? store.workSteps,
      ephemeralState: store.ephemeralState,
      moveToReplacements: store.watching.moveWatches,
      knownAddresses,
      accountProof: createAccountProof(store.ephemeralState),
    }
    return { context, deps }
  }
  const resources = started.move()
  return {
    store,
    api,
    service: createSandboxControl(sandbox),
    resume,
    plan: (request: BulkRequest) =>
      planBulk(
        { knownAddresses },
        { workspaceId: WORKSPACE, environment: 'production', now: new Date(), api: async () => api },
        request,
      ),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
