import { anewAfter, DONE, type HeldWork, type WorkEnd, type WorkKind } from '@signalman/durable'
import { durationWords } from '@signalman/runtime'
import { literal, type Message, message, say, when } from '@signalman/slack'
import { keepMessage, type PostParts } from '../../../bot/posts/kept-messages.ts'
import { sendAgain } from '../../../bot/posts/may-post.ts'
import { checkName } from '../../../bot/views/check-facts.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { counted } from '../../../domain/wording.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import { channelIn, threadIn } from '../rules/watch.ts'
import { type CardAlone, ONCE_SEEN } from './rows.ts'
import type { Called } from './rules.ts'

interface CallParts {
  readonly keeping: PostParts
  readonly watching: Pick<WatchStore, 'calls'>
}

/** While a card is not posted yet, and while what is down is muted or cannot be seen. */
const LOOK_AGAIN_MS = 2000
const QUIET_MS = 60_000

/** Calls people about a card that nobody is on, in its thread. A step is written down before it is taken. */
export function callWork(parts: CallParts): WorkKind {
  const { calls } = parts.watching
  return {
    kind: WATCH_WORK.call,
    lane: 'tell',
    async run(held) {
      const [cardId = '', what] = (held.work.key ?? '').split(' ')
      const alone = await calls.find(held.work.workspaceId, cardId)
      if (!alone) return DONE
      if (what !== ONCE_SEEN) return goOn(parts, held, cardId, alone)
      if (!alone.isSeen) return anewAfter(QUIET_MS)
      await calls.redraw(held.work.workspaceId, cardId)
      return DONE
    },
  }
}

async function goOn(parts: CallParts, held: HeldWork, cardId: string, alone: CardAlone): Promise<WorkEnd> {
  const { calls } = parts.watching
  const { workspaceId } = held.work
  // What came up or was muted since a process died over the step: nobody is called about nothing.
  if (alone.begun && alone.isQuiet) return anewAfter(QUIET_MS)
  if (alone.begun) return tell(parts, held, cardId, alone, alone.begun)
  const waitMs = waitOf(alone)
  if (isLater(alone)) await calls.redraw(workspaceId, cardId)
  if (waitMs > 0) return anewAfter(waitMs)
  const isBegun = alone.next && (await calls.begin(workspaceId, cardId, alone.next))
  return isBegun ? anewAfter(0) : DONE
}

/** How long until somebody may be called; 0 for now, or for never. */
function waitOf({ next, isQuiet, ts, now }: CardAlone): number {
  const leftMs = next ? Math.max(0, next.at.getTime() - now.getTime()) : 0
  if (leftMs > 0) return leftMs
  if (isQuiet) return QUIET_MS
  return next && ts === undefined ? LOOK_AGAIN_MS : 0
}

/** Whether the card has said a time that has passed: nobody looked for a part of it. */
const isLater = ({ next, since, isQuiet, now }: CardAlone): boolean =>
  !isQuiet && next !== undefined && next.at > now && now.getTime() - since.getTime() >= next.afterMs

async function tell(
  { watching: { calls }, keeping }: CallParts,
  held: HeldWork,
  cardId: string,
  { place, ts, since, down }: CardAlone,
  begun: NonNullable<CardAlone['begun']>,
): Promise<WorkEnd> {
  const { workspaceId, channelId } = place
  if (ts === undefined) return anewAfter(LOOK_AGAIN_MS)
  const over = () => calls.told(workspaceId, cardId, begun.afterMs)
  const outcome = await keepMessage(keeping, held, {
    key: `call ${cardId} ${begun.afterMs} ${begun.at.toISOString()}`,
    place: { ...place, channelId: channelIn(channelId), threadTs: threadIn(channelId) ?? ts },
    version: 1,
    drawn: callView({ place, call: begun.call, since, at: begun.at, down }),
    record: over,
  })
  if (outcome.kind === 'stands') return anewAfter(0)
  if (outcome.kind === 'unsure' || (outcome.kind === 'later' && outcome.why === 'rate-limited'))
    return outcome.end
  if (outcome.kind === 'gone') {
    // Somebody has deleted the card: whoever edits it finds that and posts it anew, and people are called there.
    await calls.redraw(workspaceId, cardId)
    return sendAgain(held.work.attempts, LOOK_AGAIN_MS)
  }
  const about = { workspace: workspaceId, channel: channelId, card: cardId }
  keeping.report(outcome.error, 'Nobody could be called about a card.', about)
  // The thread takes nothing any more: the next step is not held up by it.
  if (outcome.kind === 'untellable') await over()
  return sendAgain(held.work.attempts, LOOK_AGAIN_MS)
}

const mention = ({ id, isGroup, name }: Called): string => {
  if (id === undefined) return literal(name)
  return isGroup ? `<!subteam^${id}>` : `<@${id}>`
}

/** In the thread of a card that nobody is on: it is meant to be heard by those it names. */
function callView({
  place: { environment },
  call,
  since,
  at,
  down,
}: Pick<CardAlone, 'place' | 'since' | 'down'> & { call: readonly Called[]; at: Date }): Message {
  const [first] = down
  const badge = badgeOf(environment)
  const fell = down.map(({ startedAt }) => startedAt).reduce((one, other) => (other < one ? other : one))
  const what =
    first && down.length === 1
      ? `${literal(checkName(first.check))}${badge} has been down`
      : `${counted(down.length, 'health check')}${badge} are down, the first`
  const text = `${call.map(mention).join(' ')} Nobody has been on it for ${durationWords(at.getTime() - since.getTime())}: ${what} since ${when(fell)}. *I’m on it* on the card ends this.`
  return message(text, say(text))
}
