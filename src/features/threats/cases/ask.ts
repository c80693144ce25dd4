import { type LeasedWork, repeatAfter, type WorkEnd } from '@signalman/durable'
import { HOUR_MS } from '@signalman/runtime'
import type { PostedMessage } from '@signalman/slack'
import type { OwnerNoticeDeps } from '../../../bot/posts/notify-owner.ts'
import { editMessage, ownWords, postOrEdit } from '../../../bot/posts/post-or-edit.ts'
import { cmd } from '../../../domain/command-names.ts'
import type { ThreatCases } from '../rows/cases.ts'
import { ERASED_PERSON } from '../rows/forget-cases.ts'
import type { PostedQuestion, ThreatCase } from '../rules/threat-case.ts'
import { askView, type SettledBy, settledAskView } from '../views/watched.ts'

export interface AskDeps extends OwnerNoticeDeps {
  threatCases: Pick<ThreatCases, 'markAsked'>
}

/** A place where a question can be posted. */
interface Place {
  /** The user ID, or the `ts` of the thread. Stored, to notice when it has to move. */
  readonly askedFor: string
  /** The person whose DM it is. */
  readonly to?: string | undefined
  /** For a thread: the person to mention, because replies only notify people who follow the thread. */
  readonly mentions?: string | undefined
}

/** How many admins are tried. */
const MAX_ADMINS = 5

/**
 * Brings the case's question up to date: asks whoever has the case now, or else in its thread, or else the last person who did
 * something, or else an admin. If someone else has the case by now, or the question is settled, edits the old message. Compares with
 * what is posted, so a repeated run does nothing. Returns undefined if nothing is due.
 */
export async function updateQuestion(
  deps: AskDeps,
  leased: LeasedWork,
  threatCase: ThreatCase,
): Promise<WorkEnd | undefined> {
  const { asked, askKind, askSince } = threatCase
  const places = askKind && askSince ? listPlaces(deps, threatCase) : undefined
  const first = places && (await places.next()).value
  const isCurrent =
    asked !== undefined &&
    first !== undefined &&
    asked.askedFor === first.askedFor &&
    asked.since.getTime() === askSince?.getTime()
  if (isCurrent) return undefined
  if (asked) return settleQuestion(deps, leased, threatCase, findSettledBy(asked, first))
  if (!askSince || !places) return undefined
  for (let place = first; place; place = (await places.next()).value) {
    const end = await postQuestion(deps, leased, threatCase, {
      place,
      askedFor: first?.askedFor ?? '',
      askSince,
    })
    if (end) return end
  }
  deps.reportError(undefined, 'Nobody can be asked about a threat case. Signalman will retry.', {
    workspace: threatCase.workspaceId,
    case: threatCase.id,
  })
  return repeatAfter(HOUR_MS)
}

/** Why a posted question no longer counts. `next` is where the case's question is best posted now; undefined if there is none. */
function findSettledBy(asked: PostedQuestion, next: Place | undefined): SettledBy {
  if (!next) return 'answer'
  if (next.askedFor === asked.askedFor) return 'newer-question'
  return next.to === undefined ? 'question-in-thread' : 'question-to-other'
}

/** The places for a question, best first. Everybody who is asked or mentioned can press its buttons, which need the operator role. */
async function* listPlaces(
  { reachability }: AskDeps,
  { workspaceId, enterpriseId, holder, card, steps }: ThreatCase,
): AsyncGenerator<Place, undefined> {
  const workspace = { workspaceId, enterpriseId }
  const isReachable = async (userId: string) =>
    userId !== ERASED_PERSON.userId &&
    (await reachability.explainPerson(workspace, userId, 'operator')) === undefined
  if (holder && (await isReachable(holder.userId))) yield { askedFor: holder.userId, to: holder.userId }
  const people = steps.toReversed().flatMap(({ by }) => (by ? [by.userId] : []))
  const others = [...new Set(people)].filter((userId) => userId !== holder?.userId)
  let lastActive: string | undefined
  for (const userId of others)
    if (lastActive === undefined && (await isReachable(userId))) lastActive = userId
  const threadTs = card?.threadTs ?? card?.messageTs
  if (threadTs) yield { askedFor: threadTs, mentions: lastActive }
  if (lastActive) yield { askedFor: lastActive, to: lastActive }
  const tried = [...others, ...(holder ? [holder.userId] : [])]
  for (let count = 0; count < MAX_ADMINS; count += 1) {
    const admin = await reachability.findAdmin(workspace, tried)
    if (admin === undefined) return
    tried.push(admin)
    yield { askedFor: admin, to: admin }
  }
  return
}

/** Posts the question. Returns undefined if this place doesn't accept it. */
async function postQuestion(
  deps: AskDeps,
  leased: LeasedWork,
  threatCase: ThreatCase,
  { place, askedFor, askSince }: { place: Place; askedFor: string; askSince: Date },
): Promise<WorkEnd | undefined> {
  const { id, workspaceId, enterpriseId, environment, version, card } = threatCase
  const inThread = place.to === undefined
  const outcome = await postOrEdit(deps, leased, {
    key: `case ${id} ask ${askSince.getTime()} ${place.askedFor}`,
    version,
    target: {
      workspaceId,
      enterpriseId,
      environment,
      channelId: inThread ? (card?.channelId ?? '') : '',
      ...(inThread && { threadTs: place.askedFor }),
    },
    to: place.to,
    content: askView(threatCase, place.mentions),
    ownWords: ASK_IN_OWN_WORDS,
    // Stores the best place, even if another one had to do, so that the question only moves if the best place changes.
    record: (posted: PostedMessage) =>
      deps.threatCases.markAsked(id, {
        askedFor,
        since: askSince,
        channelId: posted.channelId,
        ts: posted.ts,
      }),
  })
  if (outcome.kind === 'shown') return repeatAfter(0)
  return 'end' in outcome ? outcome.end : undefined
}

/** Replaces a posted question that is answered, or that is asked again elsewhere. */
async function settleQuestion(
  deps: AskDeps,
  leased: LeasedWork,
  threatCase: ThreatCase,
  settledBy: SettledBy,
): Promise<WorkEnd> {
  const { id, workspaceId, enterpriseId, environment, asked } = threatCase
  if (asked) {
    const { channelId, ts } = asked
    const outcome = await editMessage(deps, leased, {
      target: { workspaceId, enterpriseId, environment, channelId },
      existing: { channelId, ts },
      content: settledAskView(threatCase, settledBy),
      ownWords: ASK_IN_OWN_WORDS,
    })
    if (outcome.kind === 'later') return outcome.end
  }
  // A message that can't be edited is left as it is: its buttons check the case's state.
  await deps.threatCases.markAsked(id, undefined)
  return repeatAfter(0)
}

const ASK_IN_OWN_WORDS = ownWords(
  `Signalman has a question about a threat case. Slack refused the message. To see the case, use ${cmd('/threat queue')}.`,
)
