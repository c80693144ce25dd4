import { createHash } from 'node:crypto'
import { Notice, UserError } from '@signalman/runtime'
import { isDirect, type Message } from '@signalman/slack'
import type { Reachability } from '../../../bot/access/reachable.ts'
import { parameter } from '../../../bot/grammar/parameters.ts'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { ANY_CHECK, id, ONE_CHECK } from '../../../bot/grammar/vocabulary.ts'
import type {
  ActSteps,
  AuditDetails,
  CommandContext,
  Obstacle,
  Requester,
  Rights,
} from '../../../bot/routes/command-context.ts'
import type { HomeSection, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { askWhichCheck, findCheck, isTypedCheck, type TypedCheck } from '../../../domain/find-check.ts'
import { hasPart, toKnown, toLetters } from '../../../domain/known-names.ts'
import type { Incident } from '../../../domain/outages/incident.ts'
import { quoted } from '../../../domain/quoting.ts'
import { findChannel } from '../channel.ts'
import { type CardDeps, findCard } from '../find-card.ts'
import { resolveResponder } from '../find-responders.ts'
import type { FindAddress } from '../message-address.ts'
import { toCheckFacts } from '../polling/poll-service.ts'
import type { Paged, SentPage } from '../rows/on-it.ts'
import type { WatchStore } from '../rows/watching.ts'
import { toPeople } from '../rules/channel/pages.ts'
import { decidePermission } from '../rules/channel-access.ts'
import { watchMatcher } from '../rules/matching.ts'
import type { Responder } from '../rules/watch.ts'
import {
  alreadyTakenView,
  homeTakenBlocks,
  notPagedView,
  pagedView,
  saidTakenOver,
  steppedDownView,
  takenView,
  whoView,
} from '../views/on-it.ts'
import { explainPause } from '../views/watches.ts'

interface Deps {
  readonly watching: Pick<WatchStore, 'onIt' | 'watches' | 'channels' | 'history' | 'within'>
  readonly reachability: Reachability
  readonly findAddress: FindAddress
}

/** Commands of a card's buttons: take its outages, and step down from them. */
export const onItCommands = (deps: Deps): VerbDeclaration[] => [
  {
    line: '/hc who',
    parameters: ANY_CHECK,
    description: 'Show who is on what is down, and say “I’m on it”',
    needs: 'viewer',
    guests: true,
    run: (context, args) => readWho(deps, context, args),
  },

  {
    ...cardVerb(deps, (context, card, { over }) =>
      take(deps, context, card, over ? String(over) : undefined),
    ),
    ...{ line: '/hc watch-ack', label: 'take' },
    description: 'Acknowledge an outage: nobody is paged about it anymore',
    // Take over only from this person.
    flags: { over: 'value' },
  },

  {
    ...cardVerb(deps, (context, { postId, named }, { whom }) =>
      pageNow(deps, context, named, { postId }, { line: `/hc watch-page ${quoted(postId)}`, whom }),
    ),
    ...{ line: '/hc watch-page', label: 'page about' },
    description: 'Send the next page about an outage now, after asking',
    // Only those that it asked about.
    flags: { whom: 'value' },
  },

  {
    line: '/hc page',
    parameters: [...ONE_CHECK, parameter('whom', 'person')],
    description:
      'Page someone now about a health check that is down: the next step of its escalation, or a person or group',
    needs: 'viewer',
    isAct: true,
    requirePlace(context) {
      if (findChannel(context) === undefined)
        throw new UserError('Pages are posted only in channels. Type this in one that watches it.', [
          { label: 'Who is on it', line: '/hc who' },
        ])
    },
    unlessDown: 'Nobody was paged.',
    example: 'page web-1 @on-call',
    async run(context, args) {
      const { whom, check: typed, uuid } = args.values
      const { workspaceId, environment } = context
      if (typed === undefined && uuid === undefined) throw askWhichCheck(args)
      // What is down is known here, also while the service doesn't answer.
      const check = await context.once(
        'check',
        async () =>
          (await deps.watching.onIt.findDown({ workspaceId, environment }, args.values)) ??
          toCheckFacts(await findCheck(context, args)),
      )
      const channelId = findChannel(context)
      const all = await deps.watching.watches.list(workspaceId, { environment })
      const watching = all.filter(({ filter }) => watchMatcher(filter)(check))
      if (channelId === undefined || !watching.some((watch) => watch.channelId === channelId))
        return notPagedView(check, { channelId, watching })
      const responders = whom
        ? [
            await context.once('whom', () =>
              resolveResponder(deps.reachability, context, whom, { workspaceId, channelId }),
            ),
          ]
        : undefined
      const about = { channelId, environment, uuid: check.uuid }
      const named = { object: `health-check ${check.uuid}`, objectName: check.name }
      return pageNow(deps, context, named, about, { responders })
    },
  },

  {
    ...cardVerb(deps, async (context, { postId, named }) => {
      const after = (count?: number) => (count === 0 ? 'wasn’t on it' : undefined)
      return steppedDownView(
        await context.decide<number>({ verb: '/hc watch-step-down', ...named, after }, (decisions) =>
          deps.watching.within(decisions).onIt.stepDown(postId, context.userId),
        ),
      )
    }),
    ...{ line: '/hc watch-step-down', label: 'step down from' },
    description: 'Step down from an outage, and post that nobody is on it',
  },
]

/** A message about outages, and its health checks as the audit log names them. */
interface NamedCard {
  readonly postId: string
  readonly named: Pick<AuditDetails, 'object' | 'objectName'>
}

/** What the buttons of a message about outages have in common. */
const cardVerb = (
  deps: Deps,
  run: (context: CommandContext, card: NamedCard, flags: Arguments['flags']) => Promise<Message>,
) => ({
  ...({ parameters: [id('card', 'CARD')], needs: 'viewer', isAct: true, hidden: true } as const),
  async run(context: CommandContext, { values: { card: postId = '' }, flags }: Arguments) {
    if (!CARD_ID.test(postId))
      throw new UserError(
        'To tell the channel that you’re on an outage, press “I’m on it” on the message that reports it.',
        [WHAT_IS_DOWN],
      )
    const named = await nameCard(deps, context, postId)
    return run(context, { postId, named }, flags)
  },
})

/** The App Home section with the outages that the person is on. */
export const createHomeSection =
  (deps: CardDeps): HomeSection['section'] =>
  async (requester) => {
    const { workspaceId, userId } = requester
    const taken = await deps.watching.onIt.listTaken(workspaceId, userId)
    const down = taken.filter(({ incident }) => incident.isDown)
    const shown = down
      .slice(0, MAX_SHOWN)
      .map(async (one) => ({ ...one, card: await findCard(deps, requester, one.incident) }))
    return homeTakenBlocks(await Promise.all(shown), down.length, userId)
  }

const WHAT_IS_DOWN = { label: 'What is down', line: '/hc' }
const CARD_ID = /^[A-Za-z0-9_-]{22}$/

/** Names who is on what is down, or on what was typed, with the cards that list it. */
async function readWho(deps: Deps, context: CommandContext, typed: TypedCheck): Promise<Message> {
  const { workspaceId, environment, channelId, userId, now } = context
  const { history, watches } = deps.watching
  const scope = { workspaceId, environment }
  const { uuid, check: name } = typed.values
  const isMeant = ({ check }: Incident): boolean =>
    isTypedCheck(check, typed.values) ||
    (uuid === undefined && hasPart(toKnown(check), toLetters(name ?? '')))
  const all = await history.listDown(scope)
  const isOne = (uuid ?? name) !== undefined
  const meant = isOne ? all.filter(isMeant) : all
  const isUp = meant.length === 0 && isOne
  // Throws NothingFound if nothing has the name.
  const notDown = isUp ? await findCheck(context, typed, { reads: true }) : undefined
  const down = meant.toSorted(
    (left, right) => Number(left.onIt !== undefined) - Number(right.onIt !== undefined),
  )
  const shown = await Promise.all(
    down.slice(0, MAX_SHOWN).map(async (incident) => {
      const card = await findCard(deps, context, incident)
      const isAnywhere = channelId === undefined || isDirect(channelId)
      return { incident, card, isHere: card !== undefined && (isAnywhere || card.channelId === channelId) }
    }),
  )
  const isWatching = (await watches.list(workspaceId, { environment })).some(
    ({ filter }) => notDown === undefined || watchMatcher(filter)(toCheckFacts(notDown)),
  )
  const unseen = await history.findUnseen(scope)
  return whoView({ down, shown, userId, environment, notDown, isWatching, unseen, now })
}

const MAX_SHOWN = 20
const MAX_NAMED = 10

/** The health checks on a card, for the audit log: by ID, so that they are found after a rename. */
async function nameCard(
  { watching: { onIt } }: Pick<Deps, 'watching'>,
  { workspaceId }: Requester,
  cardId: string,
): Promise<NamedCard['named']> {
  const checks = await onIt.listChecks(workspaceId, cardId)
  const named = checks.slice(0, MAX_NAMED)
  if (named.length === 0) return { object: `outage ${cardId}`, objectName: undefined }
  return {
    object: `outage ${named.map(({ uuid }) => uuid).join(', ')}`,
    objectName: named.map(({ name }) => name).join(', '),
  }
}

/** Whom pages are to, and after how many, as a short text to compare with. */
export const digestPages = (pages: readonly Pick<SentPage, 'responders' | 'before'>[]): string =>
  createHash('sha256')
    .update(
      JSON.stringify(pages.map(({ responders, before }) => `${toPeople(responders)} ${before}`).toSorted()),
    )
    .digest('hex')
    .slice(0, 16)

/**
 * Pages at once: these people, or else those whom the watches page next. With `line`, asks first, unless `whom` says that it has asked about
 * the same people.
 */
async function pageNow(
  { watching, reachability }: Deps,
  context: CommandContext,
  named: NamedCard['named'],
  about: Paged,
  {
    responders,
    line,
    whom,
  }: { responders?: readonly Responder[] | undefined; line?: string; whom?: unknown },
): Promise<Message> {
  const { workspaceId, userId, channelId } = context
  const { name: askedBy = userId } = context.actor
  const lookUp = (paged: readonly SentPage[]) =>
    Promise.all(
      paged.map(async ({ channelId, responders, owners }) => ({
        ...(await reachability.lookUp({ workspaceId, channelId }, responders)),
        owners: await reachability.lookUp(
          { workspaceId },
          owners.map((id) => ({ id, name: id })),
        ),
      })),
    )
  // Once it has begun, an act doesn't ask anymore: somebody may have been paged.
  const { obstacle } = await context.once('obstacle', async () => ({
    obstacle: channelId === undefined ? undefined : await findObstacle(watching, context, channelId),
  }))
  if (obstacle)
    throw new Notice(
      `Nothing is posted in this channel now: ${explainPause(obstacle).problem}. Nobody was paged.`,
      [{ label: 'Watches', line: '/hc watches' }],
    )
  const decision = { verb: '/hc page', ...named, after: responders && { responders } }
  const name = named.object.includes(',') ? undefined : named.objectName
  const pageSomeone = await context.tell('/hc page', {
    ...{ name, words: name === undefined ? ['NAME', '@person'] : ['@person'] },
  })
  const requireSome = (paged: readonly SentPage[] | undefined): readonly SentPage[] => {
    if (!paged) throw new Notice('As of the last poll, it isn’t down. Nobody was paged.', [WHAT_IS_DOWN])
    if (paged.length > 0) return paged
    throw new UserError(`No watch of this channel pages anyone about it. Type whom:\n\`${pageSomeone}\``)
  }
  const { next } = await context.once('next', async () => {
    const next = line && requireSome(await watching.onIt.previewPage(workspaceId, about))
    return { next: next && digestPages(next) !== whom ? next : undefined }
  })
  if (next) {
    const confirmLine = `${line} --whom ${digestPages(next)}`
    return pagedView(await lookUp(next), { line: confirmLine, someoneElse: pageSomeone })
  }
  const paged = await context.decide<readonly SentPage[]>(decision, async (decisions) => {
    const { onIt } = watching.within(decisions)
    return requireSome(await onIt.page(about, { askedBy, ...(responders && { responders }) }))
  })
  return pagedView(await lookUp(paged))
}

/** Why nothing would be posted in a channel now. Undefined if something would, or if Slack doesn’t say. */
async function findObstacle(
  { channels }: Pick<WatchStore, 'channels'>,
  { workspaceId, mayPost }: Pick<CommandContext, 'workspaceId' | 'mayPost'>,
  channelId: string,
): Promise<Obstacle | undefined> {
  const permission = await mayPost(channelId).catch(() => 'yes' as const)
  const access = await channels.find(workspaceId, channelId)
  const decided = decidePermission(access, { permission })
  return access.paused?.reason ?? (decided === 'yes' ? undefined : decided)
}

async function take(
  { watching }: Pick<Deps, 'watching'>,
  context: Requester & Rights & ActSteps,
  { postId: cardId, named }: NamedCard,
  takeOverFrom?: string,
): Promise<Message> {
  const { userId } = context
  const { name = userId } = context.actor
  const after = (outcome?: object) =>
    outcome && 'takenBy' in outcome ? 'somebody was already on it' : undefined
  const decision = { verb: '/hc watch-ack', ...named, after }
  const outcome = await context.decide(decision, async (decisions) => {
    const { onIt } = watching.within(decisions)
    const outcome = await onIt.take(
      cardId,
      { userId, name },
      {
        ...(takeOverFrom !== undefined && {
          takeOverFrom,
          said: (taken) => saidTakenOver(name, takeOverFrom, taken),
        }),
      },
    )
    if (outcome === 'gone') throw new Notice('This card is no longer stored. Nothing was changed.')
    if (outcome === 'none')
      throw new Notice('Nothing on this message is down anymore. Nothing was changed.', [WHAT_IS_DOWN])
    return outcome
  })
  if ('taken' in outcome) return takenView(cardId, outcome.taken)
  const { by } = outcome.takenBy
  // They pressed it before.
  if (by === userId) return takenView(cardId, [])
  return alreadyTakenView(outcome.takenBy, `/hc watch-ack ${cardId} --over ${quoted(by)}`)
}
