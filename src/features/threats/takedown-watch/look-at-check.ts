import { DONE, type HeldWork, LeaseLost, type WorkEnd, type WorkKind } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { type ApiOf, failureOf } from '../../../bot/request/context.ts'
import { ApiError } from '../../../service/errors.ts'
import { TAKEDOWN_WORK, type TakedownWatch, type TakedownWatches } from '../rows/takedown-watches.ts'
import { isClosedForLong, isUnchanged, looked, type TakedownSight } from './rules.ts'
import { type NewsParts, tellNews } from './tell-news.ts'

export interface TakedownLookParts extends NewsParts {
  takedownWatches: TakedownWatches
  /** Opens the service with the workspace's own token. */
  apiOf: ApiOf
  intervalMs: number
  now: () => Date
  log: Log
}

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
        const last = { number: found.newsSent + 1, sent: () => takedownWatches.remove(found) }
        await tellNews(parts, held, found, { kind: 'ended', at: now() }, last)
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
    const { account, ...sight } = await sightOf(parts, watch, held.signal)
    await stillHeld(parts, held)
    const { checkUuid: uuid, checkName: name, target } = watch
    const { state, news } = looked(watch.state, { uuid, name, target }, sight, now())
    const after = { ...watch, account, state, news }
    if (isUnchanged(watch.state, state) && account === watch.account && news.length === 0) return watch
    return (await takedownWatches.save(watch, after)) ? after : undefined
  }
}

/** True when the watch is over. */
async function tellAll(parts: TakedownLookParts, held: HeldWork, watch: TakedownWatch): Promise<boolean> {
  const { takedownWatches } = parts
  for (const [index, news] of watch.news.entries()) {
    await stillHeld(parts, held)
    const newsSent = watch.newsSent + index + 1
    const isLast = news.kind === 'check-deleted'
    // Saved one by one: when the next one cannot be told now, this one is not told again.
    const left = { ...watch, newsSent, news: watch.news.slice(index + 1) }
    const sent = () => (isLast ? takedownWatches.remove(watch) : takedownWatches.save(watch, left))
    if ((await tellNews(parts, held, watch, news, { number: newsSent, sent })) === 'no-case') return true
    if (isLast) return true
    await sent()
  }
  return false
}

/** Asks the database: a process that stood still does not know that it lost its lease. */
async function stillHeld({ steps }: TakedownLookParts, { signal, work, owner }: HeldWork): Promise<void> {
  if (signal.aborted || !(await steps.isHeld(work.id, owner))) throw new LeaseLost()
}

/** All looks of a workspace together have one person's share of its reads. */
const LOOKS = { person: 'looks' } as const

async function sightOf(
  { apiOf, log }: TakedownLookParts,
  { workspaceId, environment, checkUuid, id, account }: TakedownWatch,
  lease: AbortSignal,
): Promise<TakedownSight & Pick<TakedownWatch, 'account'>> {
  const signal = AbortSignal.any([lease, AbortSignal.timeout(LOOK_LIMIT_MS)])
  let asked: string | undefined
  try {
    const api = await apiOf(workspaceId, environment, LOOKS)
    asked = api.account
    const { status } = await api.healthChecks.get(checkUuid, signal)
    return { kind: 'seen', status, account: asked }
  } catch (error) {
    // A process that stops has learnt nothing about the service.
    if (lease.aborted) throw new LeaseLost()
    const isGone = error instanceof ApiError && error.kind === 'not-found'
    // Of another account the service says the same of a check that is still there.
    if (isGone && asked === account) return { kind: 'deleted', account }
    log.info({ workspace: workspaceId, watch: id, err: error }, 'A look at a takedown failed.')
    return { kind: 'failed', why: isGone ? 'not-shown' : failureOf(error), account }
  }
}
