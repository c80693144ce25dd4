import { type Audit, DONE, LeaseLost, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { GetApi } from '../../../bot/request/context.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { CASE_WORK } from '../rows/case-rows.ts'
import { isNews, type ThreatCases } from '../rows/cases.ts'
import { isWatched, nextLookAt } from '../rules/case-watch.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { describeEndedWatch } from '../views/watched.ts'
import { type Comparison, compareCheck } from './compare.ts'

interface LookDeps {
  threatCases: Pick<ThreatCases, 'get' | 'step' | 'storeLook'>
  audit: Pick<Audit, 'append' | 'search'>
  /** Opens the service with the workspace's own token. */
  getApi: GetApi
  /** How often a watched check is read. */
  pollMs: number
  /** Wakes the work that posts the question and the step. */
  wake: () => void
  now: () => Date
  log: Log
}

const READ_TIMEOUT_MS = 8000

/**
 * The work kind that reads a case's check until the page is down, and for a week after. Stops if the check was edited or deleted. Also
 * asks about an open case in which nothing happens. `post-case.ts` posts the questions and updates the card.
 */
export function lookWork(deps: LookDeps): WorkKind {
  const { threatCases, pollMs, wake, now } = deps
  return {
    kind: CASE_WORK.look,
    lane: 'lookup',
    maxAttempts: Number.MAX_SAFE_INTEGER,
    async run(leased) {
      const { workspaceId, key = '' } = leased.work
      const threatCase = await threatCases.get(workspaceId, key)
      if (!threatCase) return DONE
      const compared = isWatched(threatCase, now())
        ? await tryCompare(deps, threatCase, leased.signal)
        : ({ kind: 'unknown' } as const)
      if (compared.kind === 'edited' || compared.kind === 'deleted') {
        await endWatch(deps, threatCase, compared)
        wake()
        return DONE
      }
      const { checkUuid: uuid } = threatCase
      const reading = compared.kind === 'same' && uuid ? { uuid, status: compared.status } : undefined
      const next = await threatCases.storeLook(threatCase, { reading, now: now() })
      if (!next) return DONE
      if (isNews(threatCase, next, now())) wake()
      return repeatUntilOver(next, now(), pollMs)
    },
  }
}

function repeatUntilOver(threatCase: ThreatCase, now: Date, pollMs: number): WorkEnd {
  const dueAt = nextLookAt(threatCase, now, pollMs)
  return dueAt ? repeatAfter(dueAt.getTime() - now.getTime()) : DONE
}

/** All readings of a workspace share one rate limit, as if one person made them. */
const READ_OPTIONS = { person: 'comparisons' } as const

async function tryCompare(
  { getApi, log }: LookDeps,
  threatCase: ThreatCase,
  leaseSignal: AbortSignal,
): Promise<Comparison> {
  const signal = AbortSignal.any([leaseSignal, AbortSignal.timeout(READ_TIMEOUT_MS)])
  const { workspaceId, environment, id } = threatCase
  try {
    return await compareCheck(await getApi(workspaceId, environment, READ_OPTIONS), threatCase, signal)
  } catch (error) {
    // The process is stopping, which says nothing about the service.
    if (leaseSignal.aborted) throw new LeaseLost()
    log.info({ workspace: workspaceId, case: id, err: error }, 'Could not read a watched check.')
    return { kind: 'unknown' }
  }
}

async function endWatch(
  { threatCases, audit, now }: LookDeps,
  threatCase: ThreatCase,
  compared: Extract<Comparison, { kind: 'edited' | 'deleted' }>,
): Promise<void> {
  const { workspaceId, enterpriseId, environment, eventId, checkUuid, watched } = threatCase
  if (!watched) return
  const verb = '/threat unwatch'
  // Doesn't change between runs, so a repeated run doesn't record a second step.
  const reference = `${threatCase.id}.${checkUuid}`
  if ((await audit.search({ workspaceId, verb, reference, limit: 1 })).length === 0)
    await audit.append({
      workspaceId,
      at: now(),
      actor: { userId: 'system' },
      verb,
      object: `threat event ${eventId}${environmentSuffix(environment)}`,
      before: { check: checkUuid },
      after: { check: compared.kind },
      outcome: 'done',
      reference,
    })
  await threatCases.step({
    workspaceId,
    enterpriseId,
    environment,
    eventId,
    kind: 'note',
    by: undefined,
    now: now(),
    reference,
    noteText: describeEndedWatch(watched, compared.kind === 'edited' ? compared.newTarget : undefined),
    watched: 'ended',
    ask: 'unwatched',
  })
}
