import type { Settings } from '@signalman/durable'
import { Question, UserError } from '@signalman/runtime'
import { isDirect, type Message, saidNo } from '@signalman/slack'
import { OPEN_CHANNELS } from '../../../bot/posts/may-post.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { CardPlace, ThreatCase } from '../rows/case-rows.ts'
import type { AskedEvent, CaseOutcome, ThreatCases } from '../rows/cases.ts'
import type { ThreatShares } from '../rows/shares.ts'
import type { TakedownWatches } from '../rows/takedown-watches.ts'
import type { AboutCase } from './about-case.ts'
import { type CasePerson, type PersonalStep, stepsFrom } from './case-steps.ts'
import { caseView } from './views/case.ts'
import { heldQuestion, type NoPlace, placeWords, refusedWords, steppedWords } from './views/words.ts'

/** Begins a case: reads its event from the service for the person who takes the first step. */
type BeginCase = (context: CommandContext, eventId: string) => Promise<{ about: AboutCase; severity: number }>

export interface StepParts {
  threatCases: ThreatCases
  threatShares: Pick<ThreatShares, 'find'>
  takedownWatches: Pick<TakedownWatches, 'find'>
  settings: Pick<Settings, 'get'>
  beginCase: BeginCase
  /** Wakes the work that tells people. */
  wake: () => void
}

type Stepped = Extract<CaseOutcome, { kind: 'stepped' }>

interface Asked {
  eventId: string
  kind: PersonalStep
  /** The version of the case that was shown to the person who takes it over. */
  over?: number | undefined
}

/** Takes one step of a case, as the table of states allows it, and tells its thread. */
export async function takeStep(
  parts: StepParts,
  context: CommandContext,
  { eventId, kind, over }: Asked,
): Promise<Message> {
  const { threatCases, threatShares, takedownWatches, settings, beginCase, wake } = parts
  const { workspaceId, environment, enterpriseId, userId, now, reference } = context
  const event = { workspaceId, environment, eventId }
  const verb = `/threat ${kind}`
  const by = await personOf(context)
  const before = await context.keep('before', async () => auditedFacts(await threatCases.find(event)))
  const begins = !before && stepsFrom(undefined).includes(kind)
  const newCase = begins ? await context.keep('event', () => beginCase(context, eventId)) : undefined
  const placing: Placing | undefined = before?.isPlaced
    ? undefined
    : await context.keep('place', () => placeFor({ shares: threatShares, settings }, context, event))
  const { from } = await context.change<Stepped>(
    {
      verb,
      object: `threat event ${eventId}`,
      before: before && { state: before.state, ...(before.holderId && { holder: before.holderId }) },
      after: { case: kind },
      isRepeatable: true,
    },
    async () => {
      const outcome = await threatCases.step({
        ...event,
        enterpriseId,
        kind,
        by,
        now,
        reference,
        seenVersion: over,
        newCase,
        card: placing && 'place' in placing ? placing.place : undefined,
      })
      if (outcome.kind === 'stepped') return outcome
      // Thrown here, so that the audit log and the person's answer count the step as not done.
      throw notStepped(outcome, await threatCases.find(event), { eventId, kind, userId, now })
    },
  )
  wake()
  const found = await threatCases.find(event)
  const said = [
    steppedWords(kind, from),
    placeWords(found, placing && 'why' in placing ? placing.why : undefined),
  ]
  const watch = await takedownWatches.find(event)
  return caseView(said, { eventId, environment, found, viewerId: userId, watch, now })
}

/** Who does something about a case, by their present name. */
export async function personOf(context: Pick<CommandContext, 'userId' | 'actor'>): Promise<CasePerson> {
  const { name = context.userId } = await context.actor()
  return { userId: context.userId, name }
}

const auditedFacts = (found: ThreatCase | undefined) =>
  found && { state: found.state, holderId: found.holder?.userId, isPlaced: found.place !== undefined }

/** The error for a step that cannot be taken now; it says what state the case is in. */
function notStepped(
  outcome: Exclude<CaseOutcome, { kind: 'stepped' }>,
  found: ThreatCase | undefined,
  asked: { eventId: string; kind: PersonalStep; userId: string; now: Date },
): Error {
  const { eventId, kind, userId, now } = asked
  if (!found)
    return new UserError(`Nobody has taken ${eventId}: it has no case yet.`, [
      { label: 'Take', line: `/threat take ${eventId}` },
    ])
  if (outcome.kind === 'held') {
    const { says, offer } = heldQuestion(found, now)
    return new Question(says, [offer])
  }
  return new UserError(refusedWords(found, kind, userId, now), [
    { label: 'Case', line: `/threat case ${eventId}` },
  ])
}

/** Where the card of a case can be posted, or why it cannot. */
type Placing = { readonly place: CardPlace } | { readonly why: NoPlace }

/** Chooses the card that was shared, else a new one in this channel. Slack is asked before anything is posted. */
async function placeFor(
  { shares, settings }: { shares: Pick<ThreatShares, 'find'>; settings: Pick<Settings, 'get'> },
  context: CommandContext,
  event: AskedEvent,
): Promise<Placing> {
  const shared = await shares.find(event)
  if (shared) return { place: shared }
  const { channelId } = context
  // Nobody else would read a direct message with the app.
  if (!channelId || isDirect(channelId)) return { why: 'alone' }
  try {
    const channel = await (await context.slack()).channelOf(channelId)
    if (!channel.isMember || channel.isArchived) return { why: 'not-in-channel' }
    if (!channel.isSharedOutside) return { place: { channelId } }
    const open = await settings.get(context.workspaceId, OPEN_CHANNELS)
    return open.includes(channelId) ? { place: { channelId } } : { why: 'shared-outside' }
  } catch (error) {
    return { why: saidNo(error) ? 'not-in-channel' : 'unasked' }
  }
}
