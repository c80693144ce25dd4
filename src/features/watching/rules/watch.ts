import { HOUR_MS, UserError } from '@signalman/runtime'
import type { ChannelRefusal } from '@signalman/slack'
import { cmd } from '../../../domain/command-names.ts'
import type { Environment } from '../../../domain/environment.ts'
import { grouped } from '../../../domain/wording.ts'
import type { EscalationStep } from './escalation-steps.ts'

export type WatchField = 'name' | 'uuid' | 'target' | 'protocol' | 'customer'

/** One line of a filter: this field fits this pattern, in which `*` stands for anything. */
export interface WatchRule {
  readonly field: WatchField
  readonly pattern: string
  /** Of a check that is named by its UUID: its name when it was chosen. */
  readonly label?: string | undefined
}

/**
 * Which checks a watch is about. Rules of one field are alternatives, and every field that is named must fit; no rule at all
 * includes everything. A check that any `exclude` rule fits is left out.
 */
export interface WatchFilter {
  readonly include: readonly WatchRule[]
  readonly exclude: readonly WatchRule[]
}

export const EVERY_CHECK: WatchFilter = { include: [], exclude: [] }

/** How often a reminder may come, in hours; 0: never. */
export const REMINDER_HOURS = [0, 1, 4, 24] as const
export type ReminderHours = (typeof REMINDER_HOURS)[number]

/** What a person decides about a watch. */
export interface WatchTerms {
  readonly filter: WatchFilter
  /** Down is told after so many bad polls one after the other, 1 to 5. */
  readonly afterBadPolls: number
  /** `once`: a new outage soon after the last one edits its card, and flapping has one card. `every`: a card for each outage. */
  readonly notify: 'once' | 'every'
  /** How often people are reminded of what is down and nobody is on. */
  readonly reminderHours: ReminderHours
  /** Who is called when nobody is on it; by time. */
  readonly escalation?: readonly EscalationStep[] | undefined
  /** A link to what to do about an outage. */
  readonly runbook?: string | undefined
}

/** Why nothing can be told in a place. */
export type PauseReason = ChannelRefusal | 'thread-gone' | 'shared-outside'

/** A thread in a channel stands where a channel does: `C0123456789/1700000000.000100`. */
export const threadPlace = (channelId: string, threadTs: string): string => `${channelId}/${threadTs}`
export const channelIn = (place: string): string => place.split('/')[0] ?? place
export const threadIn = (place: string): string | undefined => place.split('/')[1]

/** Where a watch tells, and about which of the service's environments. */
export interface WatchPlace {
  readonly workspaceId: string
  readonly enterpriseId?: string | undefined
  /** Or a thread in it. */
  readonly channelId: string
  readonly environment: Environment
}

/** Names a channel, or a thread in it, with an environment, within its workspace. */
export const placeName = ({ channelId, environment }: Pick<WatchPlace, 'channelId' | 'environment'>) =>
  `${channelId} ${environment}`

/** A paused channel is tried again this often, and as soon as Slack says that it may be open again. */
export const TRY_PAUSED_MS = HOUR_MS

/** One channel's wish to be told about some checks. */
export interface Watch extends WatchPlace, WatchTerms {
  /** 22 characters of `A–Z a–z 0–9 _ -`. */
  readonly id: string
  /** Who made it, and hears when it is paused. */
  readonly ownerId: string
  readonly madeAt: Date
  readonly changedAt: Date
  /** IDs of the outages that were there when it began, or when its filter grew: they aren't news. */
  readonly baseline: readonly string[]
  /** How many checks it fitted at the last full listing; undefined before its first, and from a pause to the next. */
  readonly matched?: number | undefined
  /** Set while nothing is told in its channel. */
  readonly paused?: { readonly at: Date; readonly why: PauseReason } | undefined
  /** When somebody agreed that people of another organization read it too. */
  readonly agreedOutsideAt?: Date | undefined
  /** Whom it calls and Slack can't notify, each with the reason, as its owner was last told. */
  readonly unreachable?: readonly string[] | undefined
}

export type NewWatch = WatchPlace &
  WatchTerms & { readonly id?: string | undefined; readonly ownerId: string; readonly madeAt: Date }

/** What somebody has asked for in a channel or in direct messages: a watch, a silence, or a daily summary. */
export type AskedInChannel = { readonly channelId: string | undefined } & (
  | { readonly ownerId: string }
  | { readonly madeBy: string }
)

/** Who asked for it; in direct messages nobody else can. */
export const whose = (one: AskedInChannel): string => ('ownerId' in one ? one.ownerId : one.madeBy)

/** When a channel gets its daily summary: at this hour of this time zone, whatever its clocks do. */
export interface DigestTerms {
  /** 0 to 23. */
  readonly hour: number
  /** Of the IANA database, such as `Europe/Paris`. */
  readonly timeZone: string
}

export interface Digest extends WatchPlace, DigestTerms {
  readonly madeBy: string
  /** What is told next began here. */
  readonly since: Date
}

/** What was seen and told is kept for so long: history goes no further back. */
export const WATCHING_KEPT_DAYS = 90

/** Limits of one workspace: every poll compares every watch with every check. */
export const MOST_WATCHES = 1000

const HOW_TO_END = {
  get watches() {
    return `To end one, use ${cmd('/hc unwatch')}; ${cmd('/hc watches')} lists them`
  },
  get silences() {
    return `To end some, use ${cmd('/hc watches')} --all`
  },
}

/** The workspace is at its limit of what is named. */
export class WatchingFull extends UserError {
  override readonly name = 'WatchingFull'
  constructor(what: keyof typeof HOW_TO_END, most: number) {
    const end = HOW_TO_END[what]
    super(`This workspace has ${grouped(most)} ${what}, the most it can have. ${end}.`)
  }
}

/** The health checks that a filter matches now. */
export interface Matching {
  readonly count: number
  readonly down: number
  /** The first few, those that are down first. */
  readonly names: readonly string[]
}
