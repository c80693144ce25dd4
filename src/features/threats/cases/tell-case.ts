import { anewAfter, DONE, type HeldWork, type WorkEnd, type WorkKind } from '@signalman/durable'
import type { Message } from '@signalman/slack'
import {
  type EditParts,
  editMessage,
  type KeptMessage,
  type KeptOutcome,
  keepMessage,
  type PostParts,
  tellPerson,
} from '../../../bot/posts/kept-messages.ts'
import { NEXT_MS } from '../../../bot/posts/may-post.ts'
import { CASE_WORK, type ThreatCases } from '../rows/cases.ts'
import type { ThreatShares } from '../rows/shares.ts'
import { CASE_MESSAGES, type CaseMessage, MESSAGES } from '../rows/tables.ts'
import type { CardPlace, ThreatCase } from '../rules/threat-case.ts'
import { caseCardView, displacedView, stepsView } from '../views/case-thread.ts'

interface TellParts extends PostParts {
  threatCases: ThreatCases
  threatShares: Pick<ThreatShares, 'lost' | 'behind' | 'shown' | 'gone'>
}

/**
 * Brings the card of a case and its thread up to date, each message once, and then the cards of its event in other channels. What
 * is sent is what is true by then.
 */
export const tellCase = (parts: TellParts): WorkKind => ({
  kind: CASE_WORK.tell,
  lane: 'tell',
  // Slack may be away for a day: then the card is brought up to date a day later.
  mostAttempts: Number.MAX_SAFE_INTEGER,
  async run(held) {
    const { workspaceId, key = '' } = held.work
    const found = await parts.threatCases.get(workspaceId, key)
    if (!found) return DONE
    const due = dueOf(parts, found)
    return due ? tell(parts, held, found, due) : ((await tellCard(parts, held, found)) ?? DONE)
  },
})

async function tell(parts: TellParts, held: HeldWork, found: ThreatCase, due: Due): Promise<WorkEnd> {
  const { threatCases, report } = parts
  const outcome = await keepMessage(parts, held, due)
  if ('error' in outcome && outcome.error)
    report(outcome.error, logged(outcome), { workspace: found.workspaceId, case: found.id })
  if (outcome.kind === 'stands') return anewAfter(outcome.isPosted ? NEXT_MS : 0)
  if ('end' in outcome) return outcome.end
  if (outcome.kind === 'closed') return displace(parts, held, found, outcome.why)
  const { messageTs = '' } = found.place ?? {}
  // Slack takes it in no form, or the thread that it was to be in is gone.
  if (due.message === 'card' && !due.at) return displace(parts, held, found, 'refused')
  // Somebody deleted it, or the card in whose thread it was to be: that is posted again in the same place.
  if (outcome.kind === 'gone')
    await (due.at
      ? threatCases.unposted(found.id, due.message, due.at.ts)
      : threatCases.unposted(found.id, 'card', messageTs))
  // It counts as told.
  else await threatCases.told(found.id, due.message, found.version)
  return anewAfter(0)
}

const logged = (outcome: KeptOutcome): string =>
  outcome.kind === 'untellable' && outcome.why === 'bad-message'
    ? 'Slack refuses the text of a threat case too; it is told with its next step.'
    : 'A message about a threat case was not taken.'

/** The case has no card until somebody takes a step elsewhere; who took the last one hears of it first. */
async function displace(
  parts: TellParts,
  held: HeldWork,
  found: ThreatCase,
  why: keyof typeof WHY,
): Promise<WorkEnd> {
  const { threatCases, threatShares } = parts
  async function over(): Promise<void> {
    const place = found.place ?? { channelId: '' }
    await threatShares.lost(found, place.channelId)
    await threatCases.displaced(found.id, place)
  }
  const by = found.steps.findLast((step) => step.by)?.by
  if (!by) {
    await over()
    return DONE
  }
  return tellPerson(parts, held, {
    // They read that the channel would be told.
    key: `case ${found.id} displaced`,
    place: caseChannel(found),
    to: by.userId,
    version: found.version,
    drawn: displacedView(found, WHY[why]),
    over,
  })
}

/** How each message about a case is drawn; undefined where there is nothing to say. */
const DRAWN: Readonly<Record<CaseMessage, (found: ThreatCase) => Message | undefined>> = {
  card: (found) => caseCardView(found, found.place?.isFull),
  thread: stepsView,
}

/** What is still to be sent of a case, one message at a time. */
type Due = KeptMessage & { message: CaseMessage }

function dueOf(parts: TellParts, found: ThreatCase): Due | undefined {
  const { place } = found
  return (
    place &&
    MESSAGES.values()
      .map((message) => behind(parts, found, place, message))
      .find(Boolean)
  )
}

/** The message, where it does not tell of the newest step yet. */
function behind(
  { threatCases }: TellParts,
  found: ThreatCase,
  place: CardPlace,
  message: CaseMessage,
): Due | undefined {
  const { id, version } = found
  const { told, ts: column } = CASE_MESSAGES[message]
  const drawn = found[told] < version ? DRAWN[message](found) : undefined
  const { channelId, messageTs, threadTs } = place
  const ts = column && { ...found, ...place }[column]
  // The card itself may be in the thread of a mention; anything else is below it.
  const spot =
    message === 'card'
      ? { key: `case ${id}`, threadTs }
      : { key: `case ${id} ${message}`, threadTs: threadTs ?? messageTs }
  return (
    drawn && {
      message,
      version,
      isTriedWhereClosed: true,
      key: spot.key,
      place: { ...caseChannel(found), threadTs: spot.threadTs },
      at: ts === undefined ? undefined : { channelId, ts },
      drawn,
      record: (posted, upTo) => threatCases.told(id, message, upTo, posted),
      edited: column && (() => threatCases.told(id, message, version)),
    }
  )
}

const caseChannel = ({ environment, workspaceId, enterpriseId, place }: ThreatCase) => ({
  workspaceId,
  enterpriseId,
  environment,
  channelId: place?.channelId ?? '',
})

const WHY = {
  archived: 'it is archived.',
  'not-in-channel': 'Signalman is not in it any more.',
  'shared-outside': 'it is shared with another organization, and no admin has allowed threat events in it.',
  refused: 'Slack takes no messages for it.',
} as const

export interface CardParts extends EditParts {
  threatShares: Pick<ThreatShares, 'behind' | 'shown' | 'gone'>
}

/**
 * Brings one more card of the case's event up to date, in another channel than the one that is told of it; undefined where none is
 * behind. A card that takes no edits any more is let go of: nobody there was promised anything.
 */
export async function tellCard(
  parts: CardParts,
  held: Pick<HeldWork, 'work' | 'owner' | 'signal'>,
  found: ThreatCase,
): Promise<WorkEnd | undefined> {
  const { threatShares } = parts
  const { workspaceId, enterpriseId, environment, version, place } = found
  const card = await threatShares.behind(found, version, place?.messageTs)
  if (!card) return undefined
  const { channelId, messageTs: ts, isFull } = card
  const outcome = await editMessage(parts, held, {
    place: { workspaceId, enterpriseId, environment, channelId },
    at: { channelId, ts },
    drawn: caseCardView(found, isFull),
    edited: () => threatShares.shown(found, card, version),
  })
  if (outcome.kind === 'later') return outcome.end
  if (outcome.kind !== 'stands') await threatShares.gone(found, card)
  return anewAfter(0)
}
