import { type Audit, DONE, type LeasedWork, LeaseLost, type WorkKind } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { PersonalWatches } from '../../../bot/ports.ts'
import { notifyOwner, type OwnerNoticeDeps } from '../../../bot/posts/notify-owner.ts'
import { ownWords } from '../../../bot/posts/post-or-edit.ts'
import type { GetApi } from '../../../bot/request/context.ts'
import { cmd } from '../../../domain/command-names.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { CASE_WORK, COMPARE_INTERVAL_MS, type ThreatCases } from '../rows/cases.ts'
import { ERASED_PERSON } from '../rows/forget-cases.ts'
import type { ThreatCase, WatchedCheck } from '../rules/threat-case.ts'
import { describeEndedWatch, endedView } from '../views/watched.ts'
import { type Comparison, compareCheck } from './compare.ts'

interface CompareDeps extends OwnerNoticeDeps {
  threatCases: Pick<ThreatCases, 'get' | 'step'>
  personalWatches: Pick<PersonalWatches, 'stop'>
  audit: Pick<Audit, 'append' | 'search'>
  /** Opens the service with the workspace's own token. */
  getApi: GetApi
  /** Wakes the work that posts the step in the thread. */
  wake: () => void
  now: () => Date
  log: Log
}

const COMPARE_TIMEOUT_MS = 8000
const COMPARE_AGAIN = { state: 'waiting', dueInMs: COMPARE_INTERVAL_MS, isSuccess: true } as const

/** The work kind that stops watching if the case's health check was edited or deleted. Notifies the person who started the watch. */
export function compareWork(deps: CompareDeps): WorkKind {
  const { threatCases, personalWatches, wake, now } = deps
  return {
    kind: CASE_WORK.watched,
    lane: 'lookup',
    maxAttempts: Number.MAX_SAFE_INTEGER,
    async run(leased) {
      const { workspaceId, key = '' } = leased.work
      const threatCase = await threatCases.get(workspaceId, key)
      if (!threatCase?.watched || !threatCase.checkUuid) return DONE
      const { watched, checkUuid } = threatCase
      const compared = await tryCompare(deps, threatCase, leased.signal)
      if (compared.kind === 'same' || compared.kind === 'unknown') return COMPARE_AGAIN
      const reason = describeEndedWatch(watched, compared.kind === 'edited' ? compared.newTarget : undefined)
      const unfinished = await notifyStarter(deps, leased, threatCase, watched, reason)
      if (unfinished) return unfinished
      // Doesn't change between runs, so a repeated run doesn't record a second step.
      const reference = `${threatCase.id}.${checkUuid}`
      await auditOnce(deps, threatCase, compared.kind, reference)
      await personalWatches.stop({ ...threatCase, now: now() }, checkUuid)
      const { enterpriseId, environment, eventId } = threatCase
      const event = { workspaceId, enterpriseId, environment, eventId }
      const step = {
        kind: 'note',
        by: undefined,
        now: now(),
        reference,
        noteText: reason,
        watched: 'ended',
      } as const
      await threatCases.step({ ...event, ...step })
      wake()
      return DONE
    },
  }
}

/** All comparisons of a workspace share one rate limit, as if one person made them. */
const COMPARE_OPTIONS = { person: 'comparisons' } as const

async function tryCompare(
  { getApi, log }: CompareDeps,
  threatCase: ThreatCase,
  leaseSignal: AbortSignal,
): Promise<Comparison> {
  const signal = AbortSignal.any([leaseSignal, AbortSignal.timeout(COMPARE_TIMEOUT_MS)])
  try {
    return await compareCheck(
      await getApi(threatCase.workspaceId, threatCase.environment, COMPARE_OPTIONS),
      threatCase,
      signal,
    )
  } catch (error) {
    // The process is stopping, which says nothing about the service.
    if (leaseSignal.aborted) throw new LeaseLost()
    log.info(
      { workspace: threatCase.workspaceId, case: threatCase.id, err: error },
      'Could not compare a watched check.',
    )
    return { kind: 'unknown' }
  }
}

/** Notifies the person who started the watch, or else an admin. Returns when to retry; undefined if someone was notified. */
async function notifyStarter(
  deps: CompareDeps,
  leased: LeasedWork,
  { id, workspaceId, enterpriseId, environment, eventId, checkUuid, version }: ThreatCase,
  { by }: WatchedCheck,
  reason: string,
) {
  if (by.userId === ERASED_PERSON.userId) return undefined
  const end = await notifyOwner(deps, leased, {
    key: `watched ${id} ${checkUuid}`,
    target: { workspaceId, enterpriseId, environment, channelId: '' },
    ownerId: by.userId,
    version,
    content: endedView(reason, eventId),
    ownWords: ownWords(
      `Signalman no longer watches a target of a threat case. Slack refused the details. To see the case, use ${cmd('/threat queue')}.`,
    ),
    // Nothing to store here. The case's next step records that the watch has ended.
    record: async () => undefined,
  })
  return end.state === 'done' ? undefined : end
}

async function auditOnce(
  { audit, now }: CompareDeps,
  { workspaceId, environment, eventId, checkUuid }: ThreatCase,
  result: Comparison['kind'],
  reference: string,
): Promise<void> {
  const verb = '/threat unwatch'
  if ((await audit.search({ workspaceId, verb, reference, limit: 1 })).length > 0) return
  await audit.append({
    workspaceId,
    at: now(),
    actor: { userId: 'system' },
    verb,
    object: `threat event ${eventId}${environmentSuffix(environment)}`,
    before: { check: checkUuid },
    after: { check: result },
    outcome: 'done',
    reference,
  })
}
