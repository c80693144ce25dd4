import { ApiError } from '../../../api/errors.ts'
import type { Api } from '../../../api/service.ts'
import { NotConnected } from '../../../bot/context/not-connected.ts'
import type { Environment } from '../../../domain/environment.ts'
import { isClosedForLong, isUnchanged, looked, type TakedownSight } from '../../../domain/takedown-watch.ts'
import { UserError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import {
  type RecordedSteps,
  TAKEDOWN_WORK,
  type TakedownWatch,
  type TakedownWatches,
  type WorkEnd,
} from '../../../store/store.ts'
import type { WorkKind } from '../../../work/engine.ts'
import { type HeldWork, LeaseLost } from '../../../work/held-work.ts'
import { type NewsParts, tellNews } from './tell-news.ts'

export interface TakedownLookParts extends NewsParts {
  takedownWatches: TakedownWatches
  steps: Pick<RecordedSteps, 'isHeld'>
  /** Opens the service with the workspace's own token. */
  apiOf: (workspaceId: string, environment: Environment, signal: AbortSignal) => Promise<Api>
  intervalMs: number
  now: () => Date
  log: Log
}

const DONE: WorkEnd = { state: 'done' }
const LOOK_LIMIT_MS = 8000

/**
 * Looks at the health check of a watch, writes down the news, and tells them, in that order: when a process dies in between,
 * the next one tells them under the same number. A look without news writes nothing.
 */
export function takedownWork(parts: TakedownLookParts): WorkKind {
  const { takedownWatches, threatCases, intervalMs, now } = parts
  return {
    kind: TAKEDOWN_WORK.look,
    lane: 'look',
    mostAttempts: Number.MAX_SAFE_INTEGER,
    async run(held) {
      const { workspaceId, key = '' } = held.work
      const found = await takedownWatches.get(workspaceId, key)
      if (!found || found.checkUuid === '') return DONE
      const threatCase = await threatCases.find(found)
      if (!threatCase) return ended(found)
      if (found.news.length === 0 && isClosedForLong(threatCase, found, now())) {
        await stillHeld(parts, held)
        await tellNews(parts, found, { kind: 'ended', at: now() }, found.newsSent + 1)
        return ended(found)
      }
      const watch = found.news.length > 0 ? found : await look(held, found)
      if (!watch) return DONE
      const isOver = await tellAll(parts, held, watch)
      if (isOver) return ended(watch)
      return { state: 'waiting', dueInMs: intervalMs, isAnew: true }
    },
  }

  async function ended(watch: TakedownWatch): Promise<WorkEnd> {
    await takedownWatches.remove(watch)
    return DONE
  }

  /** Undefined when the watch was stopped meanwhile. */
  async function look(held: HeldWork, watch: TakedownWatch): Promise<TakedownWatch | undefined> {
    const sight = await sightOf(parts, watch, held.signal)
    await stillHeld(parts, held)
    const { checkUuid: uuid, checkName: name, target } = watch
    const { state, news } = looked(watch.state, { uuid, name, target }, sight, now())
    const after = { ...watch, state, news }
    if (isUnchanged(watch.state, state) && news.length === 0) return watch
    return (await takedownWatches.save(watch, after)) ? after : undefined
  }
}

/** True when the watch is over. */
async function tellAll(parts: TakedownLookParts, held: HeldWork, watch: TakedownWatch): Promise<boolean> {
  const { takedownWatches } = parts
  for (const [index, news] of watch.news.entries()) {
    await stillHeld(parts, held)
    const newsSent = watch.newsSent + index + 1
    if ((await tellNews(parts, watch, news, newsSent)) === 'no-case') return true
    if (news.kind === 'check-deleted') return true
    // Saved one by one: when the next one cannot be told now, this one is not told again.
    await takedownWatches.save(watch, { ...watch, newsSent, news: watch.news.slice(index + 1) })
  }
  return false
}

/** Asks the database: a process that stood still does not know that it lost its lease. */
async function stillHeld({ steps }: TakedownLookParts, { signal, work, owner }: HeldWork): Promise<void> {
  if (signal.aborted || !(await steps.isHeld(work.id, owner))) throw new LeaseLost()
}

async function sightOf(
  { apiOf, log }: TakedownLookParts,
  { workspaceId, environment, checkUuid, id }: TakedownWatch,
  lease: AbortSignal,
): Promise<TakedownSight> {
  const signal = AbortSignal.any([lease, AbortSignal.timeout(LOOK_LIMIT_MS)])
  try {
    const { healthChecks } = await apiOf(workspaceId, environment, signal)
    return { kind: 'seen', status: (await healthChecks.get(checkUuid, signal)).status }
  } catch (error) {
    // A process that stops has learnt nothing about the service.
    if (lease.aborted) throw new LeaseLost()
    if (error instanceof ApiError && error.kind === 'not-found') return { kind: 'deleted' }
    log.info({ workspace: workspaceId, watch: id, err: error }, 'A look at a takedown failed.')
    if (error instanceof ApiError)
      return { kind: 'failed', why: error.kind === 'unauthorized' ? 'unauthorized' : 'unreachable' }
    const isUnconnected = error instanceof NotConnected || error instanceof UserError
    return { kind: 'failed', why: isUnconnected ? 'not-connected' : 'unreachable' }
  }
}
