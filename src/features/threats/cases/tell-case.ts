import { section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import type { OnePost, PostOnce } from '../../../bot/posts/post-once.ts'
import type { Poster } from '../../../bot/posts/poster.ts'
import { NEXT_MS, sendAgain, UNINSTALLED_MS, untilKnown } from '../../../bot/posts/send-again.ts'
import { standstillGuard } from '../../../bot/posts/standstill-guard.ts'
import type { MayPost } from '../../../bot/replies/sharing.ts'
import type { Log } from '../../../log.ts'
import { isPassing, slackAnswer } from '../../../slack/client/slack-answer.ts'
import {
  CASE_WORK,
  type RecordedSteps,
  type ThreatCase,
  type ThreatCases,
  type ThreatShares,
  type WorkEnd,
} from '../../../store/store.ts'
import type { WorkKind } from '../../../work/engine.ts'
import { type HeldWork, LeaseLost } from '../../../work/held-work.ts'
import { anewAfter, DONE } from '../../../work/work-ends.ts'
import { tellCard } from './tell-cards.ts'
import { caseCardView, displacedView, stepsView } from './views/thread.ts'

interface TellParts {
  threatCases: ThreatCases
  threatShares: Pick<ThreatShares, 'lost' | 'behind' | 'shown' | 'gone'>
  steps: Pick<RecordedSteps, 'isHeld'>
  poster: Poster
  postOnce: PostOnce
  /** Whether a channel may be told: it may have been shared with others since the card was. */
  mayPost: MayPost
  log: Log
}

/** What is still to be sent of a case, one message at a time. */
type Due = { what: 'post' | 'edit' | 'reply'; drawn: Message; isPlain?: boolean }

/**
 * Brings the card of a case and its thread up to date, each message once, and then the cards of its event in other channels. What
 * is sent is what is true by then.
 */
export function tellCase(parts: TellParts): WorkKind {
  const { threatCases, steps } = parts
  return {
    kind: CASE_WORK.tell,
    lane: 'tell',
    // Slack may be away for a day: then the card is brought up to date a day later.
    mostAttempts: Number.MAX_SAFE_INTEGER,
    async run(held) {
      const { workspaceId, key = '' } = held.work
      const found = await threatCases.get(workspaceId, key)
      if (!found) return DONE
      const due = dueOf(found)
      if (!due) return (await tellCard(parts, held, found)) ?? DONE
      held.signal.throwIfAborted()
      // Asked of the database itself: a process that stood still has heard of nothing.
      if (!(await steps.isHeld(held.work.id, held.owner))) throw new LeaseLost()
      try {
        const may = await parts.mayPost(found, found.place?.channelId ?? '')
        if (may === 'shared') return await displace(parts, found, 'shared-outside')
      } catch (error) {
        return refused(parts, held, found, { due, error })
      }
      return send(parts, held, found, due)
    },
  }
}

function dueOf(found: ThreatCase): Due | undefined {
  const { place, version, shownVersion, toldVersion } = found
  if (!place) return undefined
  if (place.messageTs === undefined) return { what: 'post', drawn: caseCardView(found) }
  if (shownVersion < version) return { what: 'edit', drawn: caseCardView(found) }
  const drawn = toldVersion < version ? stepsView(found) : undefined
  return drawn && { what: 'reply', drawn }
}

const placeOf = ({ environment, workspaceId, enterpriseId, place }: ThreatCase) => ({
  workspaceId,
  ...(enterpriseId && { enterpriseId }),
  environment,
  channelId: place?.channelId ?? '',
})

async function send(parts: TellParts, held: HeldWork, found: ThreatCase, due: Due): Promise<WorkEnd> {
  try {
    return await sendOne(parts, held, found, due)
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    return refused(parts, held, found, { due, error })
  }
}

async function sendOne(parts: TellParts, held: HeldWork, found: ThreatCase, due: Due): Promise<WorkEnd> {
  const { poster, postOnce, threatCases, steps } = parts
  if (due.what === 'edit') {
    // A process that stood still would put an older state in the place of a newer one.
    const beforeRequest = standstillGuard(held)
    if (!(await steps.isHeld(held.work.id, held.owner))) throw new LeaseLost()
    await poster.edit(placeOf(found), found.place?.messageTs ?? '', due.drawn, { beforeRequest })
    await threatCases.shown(found.id, found.version)
    return anewAfter(0)
  }
  const came = await postOnce(held, onePost(parts, found, due))
  if ('posted' in came) return anewAfter(NEXT_MS)
  return untilKnown([came])
}

/** The card itself, which may be in the thread of a mention, or a line in the thread below it. */
function onePost({ poster, threatCases }: TellParts, found: ThreatCase, { what, drawn }: Due): OnePost {
  const { id, version, workspaceId, place } = found
  const to = placeOf(found)
  const { channelId } = to
  const threadTs = place?.threadTs ?? (what === 'reply' ? place?.messageTs : undefined)
  return {
    workspaceId,
    key: what === 'reply' ? `case ${id} thread` : `case ${id}`,
    version,
    async send(options) {
      const sent = threadTs ? poster.reply(to, threadTs, drawn, options) : poster.post(to, drawn, options)
      return { channelId, ts: await sent }
    },
    async find(sent) {
      const ts = await poster.find(to, { ...sent, threadTs })
      return ts === undefined ? undefined : { channelId, ts }
    },
    record: ({ ts }, told) =>
      what === 'reply'
        ? threatCases.told(id, told)
        : threatCases.posted(id, { channelId, messageTs: ts }, told),
  }
}

async function refused(
  parts: TellParts,
  held: HeldWork,
  found: ThreatCase,
  { due, error }: { due: Due; error: unknown },
): Promise<WorkEnd> {
  const { threatCases, log } = parts
  const answer = slackAnswer(error)
  const line = { workspace: found.workspaceId, case: found.id, err: error }
  switch (answer.kind) {
    case 'rate-limited':
      return anewAfter(answer.retryMs)
    case 'message-gone':
      // The thread that it was to be posted in.
      if (due.what === 'post') return displace(parts, found, 'refused')
      // Somebody deleted it: it is posted again in the same place.
      await threatCases.unposted(found.id, found.place?.messageTs ?? '')
      return anewAfter(0)
    case 'channel-dead':
      log.warn(line, 'The channel of a threat case takes no messages.')
      return displace(parts, found, answer.why)
    case 'bad-message':
      if (due.isPlain) {
        log.error(line, 'Slack refuses the text of a threat case too; it is told with its next step.')
        return untellable(parts, found, due)
      }
      log.error(line, 'Slack refuses the card of a threat case as it is drawn; its text is sent instead.')
      return send(parts, held, found, { what: due.what, drawn: plainly(due.drawn), isPlain: true })
    case 'uninstalled':
      return anewAfter(UNINSTALLED_MS)
    default:
      log.info(line, 'A message about a threat case was not taken; it is tried again.')
      return sendAgain(held.work.attempts)
  }
}

/** In no form: it counts as told. */
async function untellable(parts: TellParts, found: ThreatCase, { what }: Due): Promise<WorkEnd> {
  const { threatCases } = parts
  if (what === 'post') return displace(parts, found, 'refused')
  if (what === 'edit') await threatCases.shown(found.id, found.version)
  else await threatCases.told(found.id, found.version)
  return anewAfter(0)
}

/** The case has no card until somebody takes a step elsewhere; who took the last one hears of it first. */
async function displace(parts: TellParts, found: ThreatCase, why: string): Promise<WorkEnd> {
  const { threatCases, threatShares } = parts
  const place = found.place ?? { channelId: '' }
  await tellPerson(parts, found, why)
  await threatShares.lost(found, place.channelId)
  await threatCases.displaced(found.id, place)
  return DONE
}

const plainly = ({ text }: Message): Message => message(text, section(text))

const WHY = {
  archived: 'it is archived.',
  'not-in-channel': 'Signalman is not in it any more.',
  'shared-outside': 'it is shared with another organization, and no admin has allowed threat events in it.',
  refused: 'Slack takes no messages for it.',
} as const

/** Whoever took the newest step read that the channel would be told. */
async function tellPerson({ poster, log }: TellParts, found: ThreatCase, why: string): Promise<void> {
  const by = found.steps.findLast((step) => step.by)?.by
  if (!by) return
  const words = Object.entries(WHY).find(([key]) => key === why)?.[1] ?? WHY.refused
  await poster.direct(placeOf(found), by.userId, displacedView(found, words)).catch((error: unknown) => {
    // It is worth another run: who reads nothing believes that the channel was told.
    if (isPassing(slackAnswer(error))) throw error
    log.warn({ case: found.id, err: error }, 'Who took a step of a threat case cannot be told.')
  })
}
