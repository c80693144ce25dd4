import { Question, Refusal, UserError } from '@signalman/runtime'
import type { Message, Upload } from '@signalman/slack'
import { findPerson, type Standing } from '../../bot/access/actor.ts'
import { sendDirectStep } from '../../bot/posts/post-step.ts'
import { sendFiles } from '../../bot/posts/send-files.ts'
import type { ActSteps, CommandContext, Messaging, Rights } from '../../bot/routes/command-context.ts'
import type { HandOver, RouteTable } from '../../bot/routes/routes.ts'
import { BOM, csvText } from '../../domain/csv.ts'
import type { Role } from '../../domain/roles.ts'
import {
  digestOwned,
  isTransferable,
  type OwnedKind,
  type People,
  type TransferredKind,
} from './rules/owned.ts'
import {
  describeFile,
  describeKinds,
  fileRows,
  fileSentView,
  handedOverView,
  notificationView,
  previewView,
} from './views.ts'

export interface HandOverDeps {
  readonly routes: Pick<RouteTable, 'handOvers'>
}

/** The two people as typed: mentions, handles, or IDs. */
interface PeopleArguments {
  readonly from: string
  readonly to: string
}

/** Shows what would be transferred. Changes nothing. */
export async function previewHandOver(
  deps: HandOverDeps,
  context: CommandContext,
  typed: PeopleArguments,
): Promise<Message> {
  const people = await findPeople(context, typed)
  return previewView(people, await readOwned(deps, context, people))
}

/**
 * Transfers the items that the preview showed. If what the person owns has changed since, changes nothing and throws Question.
 */
export async function handOver(
  { routes }: HandOverDeps,
  context: CommandContext,
  typed: PeopleArguments,
  seenDigest: string,
): Promise<Message> {
  const people = await findPeople(context, typed)
  // Remembered, so that a resume after a crash continues with the same list.
  const owned = await context.remember('owned items', () => readOwned({ routes }, context, people))
  if (digestOwned(owned) !== seenDigest) throw changedQuestion(people, owned)
  const handedOver: TransferredKind[] = []
  for (const { plural, singular, items } of owned) {
    const kind = routes.handOvers.find((handOver) => handOver.plural === plural)
    const transferable = items.filter(isTransferable)
    if (!kind || transferable.length === 0) continue
    const { from, to } = people
    const transferredIds = new Set(await kind.transfer(context, transferable, { from: from.userId, to }))
    handedOver.push({
      singular,
      plural,
      items: transferable.filter(({ id }) => transferredIds.has(id)),
      remaining: transferable.filter(({ id }) => !transferredIds.has(id)),
    })
  }
  return handedOverView(people, handedOver, await notifyBoth(context, people, handedOver))
}

/** Sends the whole preview as a file in a direct message. */
export async function sendPreviewFile(
  deps: HandOverDeps,
  context: CommandContext,
  typed: PeopleArguments,
): Promise<Message> {
  const people = await findPeople(context, typed)
  const owned = await readOwned(deps, context, people)
  const body = Buffer.from(BOM + csvText(fileRows(people, owned)))
  const file: Upload = { name: 'handover.csv', title: 'Handover', bytes: body.length, body }
  const audited = { verb: '/hc handover-file', object: `what ${people.from.userId} owns`, isRepeatable: true }
  await context.change(audited, () => sendFiles(context, describeFile(people), [file]))
  return fileSentView(people)
}

/**
 * Looks up both people. Throws UserError if the new owner can't own anything here, and Refusal if the person who asks may hand over
 * only what they own themselves.
 */
async function findPeople(context: CommandContext, typed: PeopleArguments): Promise<People> {
  const slack = await context.slack()
  const { fromId, toId } = await context.remember('people', async () => ({
    fromId: await findPerson(slack, typed.from),
    toId: await findPerson(slack, typed.to),
  }))
  if (fromId !== context.userId && !(await context.hasRoleOrThrow(context.userId, 'admin'))) {
    await context.recordRefusal({ verb: '/hc handover', object: `what ${fromId} owns` })
    throw new Refusal('Only an admin can hand over what someone else owns.', {
      admins: undefined,
      suggestions: [{ label: 'Request access', line: '/hc access-request admin' }],
    })
  }
  if (fromId === toId)
    throw new UserError('That’s the same person twice. Type who hands over, then who takes over.')
  const [from, to] = await Promise.all([context.findActor(fromId), context.findActor(toId)])
  const reason = INELIGIBLE_REASONS[to.standing]
  const name = to.name ?? to.userId
  if (to.standing === 'foreign' && to.name === undefined)
    throw new UserError(`Slack has no user with the ID ${to.userId} here.`)
  if (reason) throw new UserError(`${name} ${reason}. Nothing was changed.`)
  return {
    from: { userId: from.userId, name: from.name ?? from.userId, hasLeft: from.standing === 'deactivated' },
    to: { userId: to.userId, name },
    askedBy: context.userId,
  }
}

const INELIGIBLE_REASONS: Readonly<Partial<Record<Standing, string>>> = {
  deactivated: 'has a deactivated account, so they can’t take anything over',
  bot: 'is an app, so it can’t take anything over',
  foreign: 'belongs to another organization, so they can’t take anything over',
  guest: 'is a guest, and guests can’t change anything here',
  unplaced: 'isn’t in this workspace, so they can’t take anything over',
  unknown: 'couldn’t be looked up, because Slack isn’t responding. Try again in a minute',
}

/** Lists what a person owns, by kind. Sets `blockedReason` on items that can't be transferred to the new owner. */
async function readOwned(
  { routes }: HandOverDeps,
  context: CommandContext,
  { from, to }: People,
): Promise<readonly OwnedKind[]> {
  return Promise.all(
    routes.handOvers.map(async (kind) => {
      const [items, missingRole] = await Promise.all([
        kind.listOwned(context, from.userId, to.userId),
        findMissingRole(context, kind, to.userId),
      ])
      const blockedReason = missingRole && `${to.name} doesn’t have the ${missingRole} role.`
      const markedItems = items.map((item) =>
        isTransferable(item) && blockedReason ? { ...item, blockedReason } : item,
      )
      const transferable = markedItems.filter(isTransferable)
      const notes = transferable.length > 0 ? (kind.notes?.(transferable) ?? []) : []
      return { singular: kind.singular, plural: kind.plural, items: markedItems, notes }
    }),
  )
}

async function findMissingRole(
  context: CommandContext,
  kind: HandOver,
  userId: string,
): Promise<Role | undefined> {
  const role = await kind.needs(context)
  return role === 'viewer' || (await context.hasRoleOrThrow(userId, role)) ? undefined : role
}

function changedQuestion({ from, to }: People, owned: readonly OwnedKind[]): Error {
  const isEmpty = !owned.some(({ items }) => items.some(isTransferable))
  const message = isEmpty
    ? `${from.name} no longer has anything that ${to.name} can take over. Nothing was changed.`
    : `What ${from.name} has to hand over has changed since this preview. Nothing was changed.`
  return new Question(message, [{ label: 'Look again', line: `/hc handover ${from.userId} ${to.userId}` }])
}

/**
 * Notifies the new and the previous owner, except for whoever requested the handover, or has left. Returns the names of people
 * who couldn't be reached.
 */
async function notifyBoth(
  context: Rights & Messaging & ActSteps,
  people: People,
  handedOver: readonly TransferredKind[],
): Promise<string[]> {
  const { from, to, askedBy } = people
  if (handedOver.every(({ items }) => items.length === 0)) return []
  const { name = askedBy } = await context.actor()
  const unreached: string[] = []
  for (const [recipient, isNewOwner] of [
    [to, true],
    [from, false],
  ] as const) {
    if (recipient.userId === askedBy || (!isNewOwner && from.hasLeft)) continue
    const notification = notificationView(people, handedOver, { isNewOwner, by: name })
    const audited = {
      verb: '/hc handover',
      object: `message to ${recipient.userId}`,
      after: { about: `handing over ${describeKinds(handedOver)}` },
    }
    if (!(await sendDirectStep(context, audited, recipient.userId, notification)))
      unreached.push(recipient.name)
  }
  return unreached
}
