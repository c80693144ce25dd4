import type { Clock } from './clock.ts'
import type { Codes } from './codes.ts'
import type { Line } from './delivery/line.ts'
import type { Sockets } from './delivery/sockets.ts'
import type { EventLog } from './events.ts'
import type { Faults } from './faults.ts'
import type { Files } from './files.ts'
import type { Installs } from './installs.ts'
import type { Journal } from './journal.ts'
import { toJson } from './json.ts'
import type { Manifest } from './manifest/manifest.ts'
import { type Messages, type Stored, slackMessage } from './messages.ts'
import { APP_ID, botOf, type People } from './people.ts'
import type { Channel, Fields, InputValues, Pane, Person, StepRun, UserGroup, View } from './protocol.ts'
import type { Rates } from './rate.ts'
import type { Remarks } from './remarks.ts'
import type { Level } from './rules/rule.ts'
import type { Recorder } from './scenario/recorder.ts'
import type { Schedule } from './schedule.ts'
import type { HostPanel } from './start.ts'
import type { Store } from './store.ts'
import type { Tickets } from './tickets.ts'
import { type Lookups, stateValues } from './values.ts'
import type { Views } from './views.ts'

/** All parts of the local Slack; a function names in its signature those that it uses. */
export interface Slack {
  people: People
  store: Store
  /** Says again what had been said when the playground started. */
  seed(): void
  messages: Messages
  schedule: Schedule
  views: Views
  files: Files
  tickets: Tickets
  journal: Journal
  log: EventLog
  remarks: Remarks
  line: Line
  /** The app's WebSockets; none are open unless its manifest switches Socket Mode on. */
  sockets: Sockets
  /** The app-level token, which opens them. */
  appToken: string
  faults: Faults
  manifest: Manifest
  /** Whose rules for blocks and texts count. */
  levels: readonly Level[]
  /** The options that the app has offered for an external select, by action_id and value. */
  offers: Map<string, Fields>
  /** The playground's own address, without a slash at its end. */
  url: () => string
  /** Of whoever started the playground, beside the conversation. */
  panels: readonly HostPanel[]
  installs: Installs
  oauth: { clientId: string; clientSecret: string; codes: Codes }
  /** What `now` reads; it can be set. */
  clock: Clock
  now: () => Date
  /** Runs of steps that the app brings, by their id. */
  steps: Map<string, StepRun>
  /** Groups of people that text can name. */
  groups: UserGroup[]
  /** The work object that each person has open. */
  panes: Map<string, Pane>
  /** What the app says of addresses that somebody is still writing, by person. */
  previews: Map<string, Fields[]>
  /** What people do, while it is recorded. */
  recorder: Recorder
  rates: Rates
  /** Waits before the retries of an event, in ms, one per retry. */
  eventRetryMs: readonly number[]
  /** Aborted when the playground closes. */
  closing: AbortSignal
}

/** A post of the page that makes no sense: the code and a sentence with the mend. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The verification token of old: still in every payload, no longer worth anything. */
export const VERIFICATION_TOKEN = 'playground-verification-token'

/**
 * The fields that every interaction payload has. Where the app is installed for an organization, no workspace is named
 * but the person's own, in whose place their organization may stand.
 * (https://docs.slack.dev/enterprise/developing-for-enterprise-orgs, November 2026)
 */
export function payloadBase(
  { people, installs }: Pick<Slack, 'people' | 'installs'>,
  person: Person,
): Fields {
  const { id, domain, organization } = people.workspaceOf(person)
  const isOrgWide = installs.of(id)?.isOrganization === true
  const team: Fields = organization
    ? { id, domain, enterprise_id: organization.id, enterprise_name: organization.name }
    : { id, domain }
  return {
    team: isOrgWide ? null : team,
    user: { id: person.id, username: person.name, name: person.name, team_id: people.homeOf(person) },
    api_app_id: APP_ID,
    token: VERIFICATION_TOKEN,
    enterprise: organization ? { ...organization } : null,
    is_enterprise_install: isOrgWide,
  }
}

/** A view as payloads and Web API answers carry it. */
export function slackView(
  { installs }: Pick<Slack, 'installs'>,
  view: View,
  values: Record<string, Fields>,
): Fields {
  return toJson({
    ...view,
    state: { values },
    app_id: APP_ID,
    app_installed_team_id: installs.of(view.team_id)?.id ?? view.team_id,
    bot_id: botOf(view.team_id).botId,
  })
}

export function lookups(
  { files, offers }: Pick<Slack, 'files' | 'offers'>,
  teamId: string,
  channel: string | null,
): Lookups {
  return {
    offered: (actionId, value) => offers.get(`${actionId}\n${value}`),
    file: (id) => {
      const file = files.find(id)
      return file && files.slackFile(file, teamId)
    },
    conversation: channel,
  }
}

/** The view with the values that the person has put in. Throws ImpossibleValue. */
export function filledView(
  slack: Pick<Slack, 'files' | 'installs' | 'offers' | 'views'>,
  { id }: Person,
  view: View,
  touched: InputValues,
  conversation = slack.views.conversation(id, view.id),
): Fields {
  return slackView(slack, view, stateValues(view.blocks, touched, lookups(slack, view.team_id, conversation)))
}

/** A message as the Web API and the payloads write it, with its files in full; its team is its author's. */
export function messageFields({ files, people }: Pick<Slack, 'files' | 'people'>, message: Stored): Fields {
  const here = people.channel(message.channel)?.teamId ?? ''
  const teamId = (message.app ? undefined : people.find(message.user)?.teamId) ?? here
  const attached = message.files.flatMap(({ id }) => {
    const file = files.find(id)
    return file ? [files.slackFile(file, teamId)] : []
  })
  const isOwn = message.app && message.subtype !== 'bot_message'
  return {
    ...slackMessage(message, teamId),
    ...(isOwn && { bot_profile: people.botProfile(here) }),
    ...(attached.length > 0 && { files: attached }),
  }
}

/** The person who acts; refuses unknown ids and the app itself. */
export function actor({ people }: Pick<Slack, 'people'>, id: string): Person {
  const person = people.find(id)
  if (!person || !people.actors.includes(id))
    throw new Refused(
      'user_not_found',
      `There is no person "${id}" to act as. There are: ${people.actors.join(', ')}.`,
    )
  return person
}

/** A channel that the person is in, by id or name. */
export function channelOf({ people }: Pick<Slack, 'people'>, person: Person, name: string): Channel {
  const channel = people.findChannel(name, ({ members }) => members.includes(person.id))
  if (!channel) throw new Refused('channel_not_found', `${person.name} is in no channel "${name}".`)
  return channel
}

export const SENTENCES = {
  interactivity_off:
    'This app is not set up for buttons, menus and shortcuts: settings.interactivity.is_enabled of its manifest is false.',
  trouble: 'We had some trouble connecting. Try again?',
  operation_timeout: 'The app did not answer within 3 seconds.',
  dispatch_failed: 'The app could not be reached, or did not answer with 200.',
} as const
