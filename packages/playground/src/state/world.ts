import type { Faults } from '../api/faults.ts'
import type { Codes } from '../api/oauth-codes.ts'
import type { RateLimiter } from '../api/rate-limits.ts'
import type { Recorder } from '../control/recorder.ts'
import type { AppClient } from '../delivery/app-client.ts'
import type { AppWarnings } from '../delivery/app-warnings.ts'
import type { Sockets } from '../delivery/sockets.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { HostPanel } from '../program/start.ts'
import { toJson } from '../protocol/json.ts'
import type {
  Channel,
  Fields,
  InputValues,
  Pane,
  Person,
  StepRun,
  UserGroup,
  View,
} from '../protocol/protocol.ts'
import type { Level } from '../rules/rule.ts'
import { type Lookups, stateValues } from '../rules/values/state-values.ts'
import type { Clock } from './clock.ts'
import type { EventLog } from './event-log.ts'
import type { Files } from './files.ts'
import type { Installs } from './installs.ts'
import type { Journal } from './journal.ts'
import { type Messages, type StoredMessage, slackMessage } from './messages.ts'
import { APP_ID, appBotIn, type People } from './people.ts'
import type { Schedule } from './schedule.ts'
import type { Store } from './store.ts'
import type { Tickets } from './tickets.ts'
import type { Views } from './views.ts'

/** All parts of the playground's Slack. Functions that use only some parts declare them with `Pick`. */
export interface Slack {
  people: People
  store: Store
  /** Posts the initial messages of the playground's options. */
  seed(): void
  messages: Messages
  schedule: Schedule
  views: Views
  files: Files
  tickets: Tickets
  journal: Journal
  log: EventLog
  appWarnings: AppWarnings
  appClient: AppClient
  /** The app's WebSockets, if its manifest enables Socket Mode. */
  sockets: Sockets
  /** The app-level token that opens WebSockets. */
  appToken: string
  faults: Faults
  manifest: Manifest
  /** The levels of the rules for blocks and text that apply. */
  levels: readonly Level[]
  /** The options that the app has offered for an external select, by action_id and value. */
  offeredOptions: Map<string, Fields>
  /** The playground's own URL, without a trailing slash. */
  url: () => string
  /** The panels of the program that started the playground. */
  panels: readonly HostPanel[]
  installs: Installs
  oauth: { clientId: string; clientSecret: string; codes: Codes }
  /** The clock behind `now`, which tests can set. */
  clock: Clock
  now: () => Date
  /** Runs of the app's workflow steps, by ID. */
  steps: Map<string, StepRun>
  groups: UserGroup[]
  /** The open work object, by person. */
  panes: Map<string, Pane>
  /** The app's previews of links in drafts, by person. */
  previews: Map<string, Fields[]>
  /** Records what people do. */
  recorder: Recorder
  rateLimiter: RateLimiter
  /** The delay before each retry of an event, in ms. */
  eventRetryMs: readonly number[]
  /** Aborted when the playground closes. */
  closing: AbortSignal
}

/** Thrown if an action from the page or the driver is invalid. The message says what to do. */
export class ActionError extends Error {
  override readonly name = 'ActionError'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The deprecated verification token. Slack still includes it in every payload. */
export const VERIFICATION_TOKEN = 'playground-verification-token'

/**
 * The fields of every interaction payload. If the app is installed for a whole organization, `team` is null, and the person's workspace
 * or organization is only in `user.team_id`.
 * (https://docs.slack.dev/enterprise/developing-for-enterprise-orgs, November 2026)
 */
export function payloadBase(
  { people, installs }: Pick<Slack, 'people' | 'installs'>,
  person: Person,
): Fields {
  const { id, domain, organization } = people.getWorkspace(person)
  const isOrgWide = installs.forTeam(id)?.isOrganization === true
  const team: Fields = organization
    ? { id, domain, enterprise_id: organization.id, enterprise_name: organization.name }
    : { id, domain }
  return {
    team: isOrgWide ? null : team,
    user: { id: person.id, username: person.name, name: person.name, team_id: people.payloadTeamId(person) },
    api_app_id: APP_ID,
    token: VERIFICATION_TOKEN,
    enterprise: organization ? { ...organization } : null,
    is_enterprise_install: isOrgWide,
  }
}

/** A view as in payloads and Web API responses. */
export function slackView(
  { installs }: Pick<Slack, 'installs'>,
  view: View,
  values: Record<string, Fields>,
): Fields {
  return toJson({
    ...view,
    state: { values },
    app_id: APP_ID,
    app_installed_team_id: installs.forTeam(view.team_id)?.id ?? view.team_id,
    bot_id: appBotIn(view.team_id).botId,
  })
}

export function createLookups(
  { files, offeredOptions }: Pick<Slack, 'files' | 'offeredOptions'>,
  teamId: string,
  channel: string | null,
): Lookups {
  return {
    findOfferedOption: (actionId, value) => offeredOptions.get(`${actionId}\n${value}`),
    findFile: (id) => {
      const file = files.find(id)
      return file && files.slackFile(file, teamId)
    },
    currentConversation: channel,
  }
}

/** A view as in payloads, with the values that the person entered. Throws ImpossibleValueError for invalid values. */
export function filledView(
  slack: Pick<Slack, 'files' | 'installs' | 'offeredOptions' | 'views'>,
  { id }: Person,
  view: View,
  entered: InputValues,
  conversation = slack.views.conversation(id, view.id),
): Fields {
  return slackView(
    slack,
    view,
    stateValues(view.blocks, entered, createLookups(slack, view.team_id, conversation)),
  )
}

/** A message as in payloads and Web API responses, with complete file objects. */
export function messageFields(
  { files, people }: Pick<Slack, 'files' | 'people'>,
  message: StoredMessage,
): Fields {
  const channelTeamId = people.channel(message.channel)?.teamId ?? ''
  const teamId = (message.app ? undefined : people.find(message.user)?.teamId) ?? channelTeamId
  const attached = message.files.flatMap(({ id }) => {
    const file = files.find(id)
    return file ? [files.slackFile(file, teamId)] : []
  })
  const isFromBot = message.app && message.subtype !== 'bot_message'
  return {
    ...slackMessage(message, teamId),
    ...(isFromBot && { bot_profile: people.botProfile(channelTeamId) }),
    ...(attached.length > 0 && { files: attached }),
  }
}

/** Finds the person to act as. Throws ActionError for unknown IDs and for the app's bots. */
export function findActor({ people }: Pick<Slack, 'people'>, id: string): Person {
  const person = people.find(id)
  if (!person || !people.actors.includes(id))
    throw new ActionError(
      'user_not_found',
      `There is no person "${id}" to act as. Choose one of ${people.actors.join(', ')}.`,
    )
  return person
}

/** Finds a channel that the person is in, by ID or name. Throws ActionError if there is none. */
export function findOwnChannel({ people }: Pick<Slack, 'people'>, person: Person, name: string): Channel {
  const channel = people.findChannel(name, ({ members }) => members.includes(person.id))
  if (!channel) throw new ActionError('channel_not_found', `${person.name} isn't in a channel "${name}".`)
  return channel
}

export const ERROR_MESSAGES = {
  interactivity_off:
    'Buttons, menus, and shortcuts are off for this app: settings.interactivity.is_enabled is false in its manifest.',
  connection_trouble: 'We had some trouble connecting. Try again?',
  operation_timeout: "The app didn't answer within 3 seconds.",
  dispatch_failed: "The app couldn't be reached, or didn't answer with status 200.",
} as const
