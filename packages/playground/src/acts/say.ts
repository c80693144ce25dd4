import { escapeTyped } from '../escape-typed.ts'
import { ASSISTANT_THREAD } from '../messages.ts'
import { activeTeamId, appBotIn, conversationType } from '../people.ts'
import type { Fields, Outcome, PostBody } from '../protocol.ts'
import { findActor, findOwnChannel, messageFields, Refused, type Slack, slackView } from '../slack.ts'
import { sendChannelEvent, sendMessageEvent } from './channel-events.ts'
import { sendUserEvent } from './event.ts'
import { sendLinkEvents } from './links.ts'

/** A person posts a message. The app gets `message` if its bot is in the conversation, and `app_mention` if the message mentions the bot. */
export async function say(slack: Slack, post: PostBody<'message'>): Promise<Outcome> {
  const { people, messages, files, log } = slack
  const person = findActor(slack, post.user)
  const channel = findOwnChannel(slack, person, post.channel)
  const attached = (post.files ?? []).map((id) => {
    const file = files.find(id)
    if (!file) throw new Refused('file_not_found', `There is no uploaded file ${id}.`)
    return file
  })
  const text = escapeTyped(post.text, people.visibleIn(activeTeamId(person)))
  if (text.trim() === '' && attached.length === 0)
    throw new Refused('no_text', 'A message needs text or a file.')
  if (channel.archived) throw new Refused('is_archived', `#${channel.name} is archived.`)
  const threadTs = post.threadTs ?? null
  const parent = threadTs === null ? undefined : messages.find(channel.id, threadTs)
  if (threadTs !== null && (!parent || parent.ephemeral))
    throw new Refused('thread_not_found', `There is no message ${threadTs} in ${channel.name} to reply to.`)
  for (const file of attached) {
    file.channels.push(channel.id)
    files.save(file)
  }
  const seq = log.seq
  const message = messages.post({
    channel: channel.id,
    user: person.id,
    app: false,
    text,
    files: attached.map(({ info }) => info),
    threadTs,
  })
  for (const { info } of attached) files.share(info.id, message)
  const outcome = await sendMessageAndMention(slack, person.id, channel.id, messageFields(slack, message))
  void sendLinkEvents(slack, message)
  for (const { info } of attached) sendFileEvents(slack, { channel: channel.id, user: person.id }, info.id)
  return outcome.ok ? { ...outcome, seq, ts: message.ts } : { ...outcome, seq }
}

/**
 * Sends the events for a shared file (https://docs.slack.dev/reference/events/file_shared, file_created and file_public, November 2026).
 */
function sendFileEvents(slack: Slack, origin: { channel: string; user: string }, id: string): void {
  const channel = slack.people.channel(origin.channel)
  const isPublic = channel !== undefined && conversationType(channel) === 'channel'
  const file = { file_id: id, user_id: origin.user, file: { id } }
  void sendChannelEvent(slack, 'file_created', origin, file)
  void sendChannelEvent(slack, 'file_shared', origin, { channel_id: origin.channel, ...file })
  if (isPublic) void sendChannelEvent(slack, 'file_public', origin, file)
}

async function sendMessageAndMention(
  slack: Slack,
  user: string,
  channelId: string,
  message: Fields,
): Promise<Outcome> {
  const channel = slack.people.channel(channelId)
  const bot = channel && appBotIn(channel.teamId).userId
  const outcome = await sendMessageEvent(slack, { channel: channelId, user }, message)
  const isMentioned = bot !== undefined && String(message.text).includes(`<@${bot}>`)
  if (!isMentioned || channel?.kind === 'dm') return outcome
  const mention = { ...message, type: 'app_mention', channel: channelId, event_ts: message.ts ?? '' }
  return sendChannelEvent(slack, 'app_mention', { channel: channelId, user }, mention)
}

/** A person opens the Home or Messages tab of the app: `app_home_opened`. */
export function openHome(slack: Slack, post: PostBody<'home'>): Promise<Outcome> {
  const { people, views } = slack
  const person = findActor(slack, post.user)
  const home = views.home(person.id)
  const tab = post.tab ?? 'home'
  return sendUserEvent(slack, 'app_home_opened', person.id, {
    user: person.id,
    channel: people.openDirectMessage([person.id, appBotIn(activeTeamId(person)).userId]).id,
    tab,
    ...(home && tab === 'home' && { view: slackView(slack, home, {}) }),
  })
}

/**
 * A person starts an assistant thread from the channel that they are viewing, or views another channel next to the thread.
 * (https://docs.slack.dev/reference/events/assistant_thread_started and assistant_thread_context_changed, November 2026)
 */
export async function startThread(slack: Slack, post: PostBody<'thread'>): Promise<Outcome> {
  const { people, messages, manifest, log } = slack
  const person = findActor(slack, post.user)
  if (!manifest.isAssistant)
    throw new Refused('no_assistant', 'The manifest has neither assistant_view nor agent_view.')
  const bot = appBotIn(activeTeamId(person)).userId
  const channel = people.openDirectMessage([person.id, bot])
  const from = post.from === undefined ? channel : findOwnChannel(slack, person, post.from)
  const seq = log.seq
  const isNew = post.ts === undefined
  const newThread = { channel: channel.id, user: bot, app: true, text: 'New chat', subtype: ASSISTANT_THREAD }
  const parent = isNew ? messages.post(newThread) : messages.find(channel.id, post.ts ?? '')
  if (parent?.subtype !== ASSISTANT_THREAD)
    throw new Refused('thread_not_found', `${person.name} has no thread ${post.ts} with the assistant.`)
  const { id: team_id, organization } = people.workspaceOf(person)
  const isFromChannel = from.id !== channel.id
  const context = isFromChannel
    ? { channel_id: from.id, team_id, enterprise_id: organization?.id ?? null }
    : {}
  const thread = { user_id: person.id, context, channel_id: channel.id, thread_ts: parent.ts }
  const type = isNew ? 'assistant_thread_started' : 'assistant_thread_context_changed'
  const outcome = await sendUserEvent(slack, type, person.id, { assistant_thread: thread }, channel)
  return outcome.ok ? { ...outcome, seq, ts: parent.ts } : outcome
}
