import { DONE, type HeldWork, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
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
 * Updates the card and thread of a case, each message once, and then the cards of its event in other channels. Each message shows
 * the newest state.
 */
export const postCase = (parts: TellParts): WorkKind => ({
  kind: CASE_WORK.tell,
  lane: 'tell',
  // Slack may be unavailable for a day. The card is then updated a day later.
  mostAttempts: Number.MAX_SAFE_INTEGER,
  async run(held) {
    const { workspaceId, key = '' } = held.work
    const found = await parts.threatCases.get(workspaceId, key)
    if (!found) return DONE
    const due = findDue(parts, found)
    return due ? postMessage(parts, held, found, due) : ((await updateCard(parts, held, found)) ?? DONE)
  },
})

async function postMessage(parts: TellParts, held: HeldWork, found: ThreatCase, due: Due): Promise<WorkEnd> {
  const { threatCases, report } = parts
  const outcome = await keepMessage(parts, held, due)
  if ('error' in outcome && outcome.error)
    report(outcome.error, logged(outcome), { workspace: found.workspaceId, case: found.id })
  if (outcome.kind === 'stands') return repeatAfter(outcome.isPosted ? NEXT_MS : 0)
  if ('end' in outcome) return outcome.end
  if (outcome.kind === 'closed') return detachCase(parts, held, found, outcome.why)
  const { messageTs = '' } = found.place ?? {}
  // Slack refuses it in every form, or its thread was deleted.
  if (due.message === 'card' && !due.at) return detachCase(parts, held, found, 'refused')
  // Someone deleted it, or the card of its thread. Post that again in the same place.
  if (outcome.kind === 'gone')
    await (due.at
      ? threatCases.unposted(found.id, due.message, due.at.ts)
      : threatCases.unposted(found.id, 'card', messageTs))
  // Slack refused this step. The next one is posted.
  else await threatCases.told(found.id, due.message, found.version)
  return repeatAfter(0)
}

const logged = (outcome: KeptOutcome): string =>
  outcome.kind === 'untellable' && outcome.why === 'bad-message'
    ? 'Slack also refused the plain text of a case message. The next step posts it.'
    : 'Slack refused a message about a threat case.'

/** Detaches the case from its channel until someone takes a step in another one, and notifies whoever took the last step. */
async function detachCase(
  parts: TellParts,
  held: HeldWork,
  found: ThreatCase,
  why: keyof typeof DISPLACED_REASONS,
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
    // They were told that the step would be posted.
    key: `case ${found.id} displaced`,
    place: caseChannel(found),
    to: by.userId,
    version: found.version,
    drawn: displacedView(found, DISPLACED_REASONS[why]),
    over,
  })
}

/** Renders each message about a case; undefined if there's nothing to post. */
const DRAWN: Readonly<Record<CaseMessage, (found: ThreatCase) => Message | undefined>> = {
  card: (found) => caseCardView(found, found.place?.isFull),
  thread: stepsView,
}

/** The next message to send about a case. */
type Due = KeptMessage & { message: CaseMessage }

function findDue(parts: TellParts, found: ThreatCase): Due | undefined {
  const { place } = found
  return (
    place &&
    MESSAGES.values()
      .map((message) => findOutdated(parts, found, place, message))
      .find(Boolean)
  )
}

/** The message, if it doesn't show the newest step yet. */
function findOutdated(
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

const DISPLACED_REASONS = {
  archived: 'The channel is archived.',
  'not-in-channel': 'Signalman is no longer in the channel.',
  'shared-outside':
    'The channel is shared with another organization, and no admin has allowed threat events in it.',
  refused: 'Slack doesn’t accept messages in the channel.',
} as const

export interface CardParts extends EditParts {
  threatShares: Pick<ThreatShares, 'behind' | 'shown' | 'gone'>
}

/**
 * Updates one more card of the case's event in another channel; undefined if none is outdated. Gives up on cards that can no
 * longer be edited, because nobody there was promised updates.
 */
export async function updateCard(
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
  return repeatAfter(0)
}
