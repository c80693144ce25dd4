import { slackAnswer } from '../../bot/posts/slack-answer.ts'
import type { PausedModel } from '../../domain/watching/card-model.ts'
import { WATCH_WORK, type WatchStore } from '../../store/store.ts'
import { fullJitterMs } from '../../work/backoff.ts'
import type { WorkKind } from '../../work/engine.ts'
import type { DeliveryParts } from './deliver-work.ts'

const RETRY = { baseMs: 2000, mostMs: 300_000 }

type Watch = Awaited<ReturnType<WatchStore['watches']['list']>>[number]

/** Tells each owner of a channel's paused watches, in a direct message, that nothing can be told there. */
export function pausedWork(parts: DeliveryParts): WorkKind {
  const { watching, poster, renderer, log } = parts

  async function tellOwner(watches: readonly Watch[], untold: number): Promise<boolean> {
    const [first] = watches
    if (!first?.paused) return true
    const model: PausedModel = {
      channelId: first.channelId,
      why: first.paused.why,
      since: first.paused.at,
      watches: watches.length,
      untold,
    }
    try {
      await poster.direct(first, first.ownerId, renderer.paused(model))
      return true
    } catch (error) {
      const { kind } = slackAnswer(error)
      const mayPass = kind === 'passing' || kind === 'rate-limited'
      // Somebody who left, or takes no messages: Home shows it to everybody else.
      if (!mayPass) log.warn({ channel: first.channelId, err: error }, 'The owner of a watch cannot be told.')
      return !mayPass
    }
  }

  return {
    kind: WATCH_WORK.paused,
    lane: 'tell',
    async run({ work }) {
      const { workspaceId, key: channelId = '' } = work
      const all = await watching.watches.list(workspaceId, { channelId })
      const untold = await watching.outbox.behind(workspaceId, channelId)
      const owners = Map.groupBy(
        all.filter(({ paused }) => paused),
        ({ ownerId }) => ownerId,
      )
      const told: boolean[] = []
      for (const watches of owners.values()) told.push(await tellOwner(watches, untold))
      if (told.every(Boolean)) return { state: 'done' }
      return { state: 'waiting', dueInMs: fullJitterMs(work.attempts, RETRY) }
    },
  }
}
