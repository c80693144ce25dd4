import { setTimeout as pause } from 'node:timers/promises'
import type { Person } from '../client/directory.ts'
import { isObject, type SlackBody } from './body.ts'

/**
 * Who asks, and where, as far as Slack's payload says it. The ids of workspaces begin with T, those of organizations (Enterprise
 * Grid) with E (https://docs.slack.dev/enterprise/developing-for-enterprise-orgs and the types of @slack/bolt 5.1, November 2026).
 */
export interface Whereabouts {
  userId: string
  /** What the app is installed in: a workspace, or an organization. */
  installationId?: string
  /** The workspace whose data and rights count; absent where Slack names none that is certainly the app's. */
  workspaceId?: string
  /** The organization of that workspace, or of the installation. */
  enterpriseId?: string
  /** The person's own workspace or organization, where Slack says it: in a channel that is shared it may be another one. */
  homeId?: string
  /** Where no workspace is named: the one in which the person acts. It is the app's if they are of the organization. */
  seatId?: string
}

/** What one kind of payload says; `isForAll`: the app is installed for a whole organization. */
type Read = Pick<Whereabouts, 'userId'> & { isForAll: boolean } & {
  [name in 'workspaceId' | 'enterpriseId' | 'homeId' | 'seatId']?: string | undefined
}

/** The id stands for an organization; as the workspace of a request it says that Slack has named none. */
export const isOrganization = (id: string): boolean => id.startsWith('E')
const workspaceIn = (...ids: unknown[]): string | undefined =>
  ids.map(text).find((id) => id !== '' && !isOrganization(id))
const organizationIn = (...ids: unknown[]): string | undefined => ids.map(text).find(isOrganization)

/** Reads from a payload of any kind whose it is. Nothing else does. */
export function readWhereabouts(body: SlackBody): Whereabouts {
  const { isForAll, seatId, ...where } = typeof body.command === 'string' ? ofCommand(body) : ofOther(body)
  const { workspaceId, enterpriseId } = where
  const installationId = (isForAll ? enterpriseId : workspaceId) ?? workspaceId ?? enterpriseId
  return present({ ...where, installationId, seatId: workspaceId === undefined ? seatId : undefined })
}

const ofOther = (body: SlackBody): Read =>
  body.type === 'event_callback' ? ofEvent(body) : ofInteraction(body)

function ofCommand(body: SlackBody): Read {
  return {
    userId: text(body.user_id),
    workspaceId: workspaceIn(body.team_id),
    enterpriseId: organizationIn(body.enterprise_id, body.team_id),
    isForAll: String(body.is_enterprise_install) === 'true',
  }
}

/**
 * The authorization and the context are the app's. The envelope's own ids are those of whoever owns the channel, and so may be
 * another organization's.
 */
function ofEvent(body: SlackBody): Read {
  const event = fields(body.event)
  const authorization = first(body.authorizations)
  const isForAll = authorization.is_enterprise_install === true
  const isShared = body.is_ext_shared_channel === true
  const enterpriseId =
    'enterprise_id' in authorization && !isForAll
      ? organizationIn(authorization.enterprise_id)
      : organizationIn(
          authorization.enterprise_id,
          body.context_enterprise_id,
          ...(isShared ? [] : [body.enterprise_id, body.team_id]),
        )
  const isOurs = !isShared && (!isForAll || body.enterprise_id === enterpriseId)
  const workspaceId = workspaceIn(
    authorization.team_id,
    body.context_team_id,
    isOurs ? body.team_id : undefined,
  )
  const homeId = some(event.user_team) ?? some(event.source_team)
  return {
    // An unarchived private channel names its person as `actor_id` alone (@slack/types 3.2 and recorded events).
    userId: text(event.user) || text(fields(event.user).id) || text(event.actor_id),
    isForAll,
    workspaceId,
    enterpriseId,
    homeId,
    seatId: workspaceIn(homeId ?? body.team_id),
  }
}

/**
 * Presses, windows, shortcuts and options. To an organization's installation Slack sends `team: null`, and then at most a message of
 * the app's own says in which workspace that was. A window names the app's installation beside the team of whoever opened it.
 */
function ofInteraction(body: SlackBody): Read {
  const [user, team, view] = [fields(body.user), fields(body.team), fields(body.view)]
  const installed = some(view.app_installed_team_id)
  const isOurs = installed === undefined || installed === team.id || installed === team.enterprise_id
  const enterpriseId = organizationIn(
    installed,
    ...(isOurs ? [team.enterprise_id, team.id, fields(body.enterprise).id] : []),
  )
  // Only the app's own messages have buttons of the app; a shortcut may be used on anybody's.
  const isOwnMessage = body.type === 'block_actions' || body.type === 'block_suggestion'
  const workspaceId = workspaceIn(
    installed,
    isOurs ? team.id : undefined,
    isOwnMessage ? fields(body.message).team : undefined,
  )
  return {
    userId: text(user.id),
    isForAll: body.is_enterprise_install === true || isOrganization(installed ?? ''),
    workspaceId,
    enterpriseId,
    homeId: some(user.team_id),
    seatId: workspaceIn(team.id, view.team_id, user.team_id),
  }
}

/** Slack waits for its answer meanwhile. */
const SETTLES_WITHIN_MS = 1500

/**
 * Finds the workspace of a request to an organization's installation that names none: the one in which the person acts, or the only
 * one that they are in, if they are of the organization. Else it is the organization itself, in which nobody may do anything; '' where
 * none is named either.
 */
export function createResolveWorkspace(ask: {
  /** The organization that a workspace is known to belong to. */
  organizationOf: (workspaceId: string) => Promise<string | undefined>
  personOf: (place: { workspaceId: string; enterpriseId: string }, userId: string) => Promise<Person>
}): (where: Whereabouts) => Promise<string> {
  async function asked(enterpriseId: string, { seatId, userId }: Whereabouts): Promise<string> {
    if (seatId !== undefined && (await ask.organizationOf(seatId)) === enterpriseId) return seatId
    const person = await ask.personOf({ workspaceId: enterpriseId, enterpriseId }, userId)
    if (person.enterpriseId !== enterpriseId) return enterpriseId
    const own = person.teamIds.filter((id) => !isOrganization(id))
    const [only = enterpriseId, ...others] = seatId === undefined ? own : own.filter((id) => id === seatId)
    return others.length === 0 ? only : enterpriseId
  }

  return async (where) => {
    const { enterpriseId } = where
    if (enterpriseId === undefined) return ''
    const late = pause(SETTLES_WITHIN_MS, enterpriseId, { ref: false })
    return Promise.race([asked(enterpriseId, where).catch(() => enterpriseId), late])
  }
}

// Each reader checks the type: what is missing or odd becomes empty.
export const fields = (value: unknown): SlackBody => (isObject(value) ? value : {})
export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
export const some = (value: unknown): string | undefined => text(value) || undefined
export const first = (value: unknown): SlackBody => fields(Array.isArray(value) ? value[0] : undefined)

/** A workspace, as requests name it. */
export interface Workspace {
  /** The organization's id where Slack names no workspace of it (see whereabouts.ts). */
  workspaceId: string
  /** The organization (Enterprise Grid) that it belongs to. */
  enterpriseId?: string | undefined
}

/** The acting person. */
export interface RequestUser extends Workspace {
  userId: string
  /** Their own workspace or organization, where the request says it: in a channel that is shared it may be another one. */
  homeId?: string
}

/** Who asks, and in which channel. */
export interface Caller extends RequestUser {
  /** Absent in App Home, and in a window until its state was read. */
  channelId?: string
  /** The thread in which it was asked, or in which the button stands. */
  threadTs?: string
  /** Found in the log on every line of this request, and in every error that a person sees. */
  reference: string
  /** The way in, as the audit log names it, where it is another one than what people type, press and send in. */
  door?: string
}

/** Where a request came from, and therefore where its answer goes. */
export interface RequestOrigin extends Caller {
  surface: Surface
}

/** Whether a channel is the direct messages of two: Slack's ids say so by their first letter. */
export const isDirect = (channelId: string): boolean => channelId.startsWith('D')

/** Only these facts of a request, for work that outlives it. */
export function toCaller(from: Caller & { surface?: Surface }): Caller {
  const { workspaceId, enterpriseId, userId, homeId, channelId, reference, door } = from
  const { threadTs = from.threadTs }: WaysToAnswer = from.surface ?? NO_SURFACE
  return present({ workspaceId, enterpriseId, userId, homeId, channelId, threadTs, reference, door })
}

/**
 * What was used. A `responseUrl` takes five answers within 30 minutes; a `triggerId` opens one window within 3 s; an answer
 * belongs in the thread that it was asked in.
 */
export type Surface =
  /** A typed command. */
  | { kind: 'command'; responseUrl: string; triggerId: string }
  /** A button on a message, or an entry of a message's menu. Ephemeral: one person alone sees the message. */
  | { kind: 'message'; responseUrl?: string; triggerId?: string; threadTs?: string; isEphemeral: boolean }
  /** A button in a window, or a submitted window: what opens next is on top of it. */
  | { kind: 'window'; modalId: string; triggerId?: string }
  | { kind: 'home'; triggerId?: string }
  /** Words that somebody wrote to the app, in a channel or directly. */
  | { kind: 'mention'; threadTs?: string }
  /** Slackbot has called a tool, and waits for what it gives. */
  | { kind: 'tool'; callId: string }
  /** A step of a workflow, which goes on when it is said to be done. */
  | { kind: 'step'; executionId: string }
  /** Nobody waits for the answer: Slack itself sent the request, or its person has stopped waiting. */
  | { kind: 'none'; threadTs?: string }

/** The ways to answer that any surface may have; a reader asks for those that it can use. */
export interface WaysToAnswer {
  responseUrl?: string
  triggerId?: string
  modalId?: string
  threadTs?: string
  callId?: string
  executionId?: string
}

/** For requests without a person who waits. */
export const NO_SURFACE: Surface = { kind: 'none' }

/** The surface after its person has stopped waiting: the trigger is dead, and nobody reads the command's own answer. */
export function laterOn(surface: Surface): Surface {
  if (surface.kind === 'window') return { kind: 'window', modalId: surface.modalId }
  if (surface.kind === 'tool' || surface.kind === 'step') return surface
  const { threadTs }: WaysToAnswer = surface
  return present({ kind: 'none' as const, threadTs })
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The fields without those that are undefined. */
export function present<T extends object>(fields: T): Present<T> {
  const kept: Partial<T> = {}
  // Written out by hand: Object.entries would make arrays for every request, up to three times.
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name]
  // What is left has every required field, and no undefined one.
  return kept as unknown as Present<T>
}
