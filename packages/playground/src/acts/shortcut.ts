import { createId } from '../ids.ts'

import { seatOf } from '../people.ts'
import type { Fields, Outcome, Person, Post } from '../protocol.ts'
import { actor, messageFields, payloadBase, Refused, SENTENCES, type Slack } from '../slack.ts'
import { channelName } from './command.ts'
import { tellInteraction } from './interaction.ts'

function onMessage(slack: Slack, person: Person, at: { channel: string; ts: string }, cause: string): Fields {
  const { people, messages, tickets, url } = slack
  const message = messages.find(at.channel, at.ts)
  const channel = people.channel(at.channel)
  if (!message || !channel || message.ephemeral || !channel.members.includes(person.id))
    throw new Refused(
      'message_not_found',
      `There is no lasting message ${at.ts} that ${person.name} sees in ${at.channel}.`,
    )
  const path = tickets.issueResponsePath('app', seatOf(person), {
    user: person.id,
    channel: channel.id,
    original: message.ts,
    threadTs: message.threadTs === message.ts ? null : message.threadTs,
    cause,
  })
  return {
    type: 'message_action',
    channel: { id: channel.id, name: channelName(channel) },
    message_ts: message.ts,
    message: messageFields(slack, message),
    response_url: url() + path,
  }
}

/** A global shortcut names its person without the field `name`. */
const globally = ({ people }: Slack, person: Person): Fields => ({
  type: 'shortcut',
  user: { id: person.id, username: person.name, team_id: people.homeOf(person) },
})

/** A person picks a shortcut from the menu (`shortcut`) or from a message (`message_action`). */
export async function runShortcut(slack: Slack, post: Post<'shortcut'>): Promise<Outcome> {
  const { line, tickets, log, manifest, messages } = slack
  const person = actor(slack, post.user)
  const kind = post.message ? 'message' : 'global'
  if (!manifest.shortcuts.some((one) => one.callbackId === post.callbackId && one.kind === kind))
    throw new Refused('invalid_shortcut', `The manifest has no ${kind} shortcut "${post.callbackId}".`)
  if (!manifest.isInteractive) throw new Refused('interactivity_off', SENTENCES.interactivity_off)
  const id = createId('Q')
  const seq = log.seq
  const payload: Fields = {
    ...payloadBase(slack, person),
    ...(post.message ? onMessage(slack, person, post.message, id) : globally(slack, person)),
    callback_id: post.callbackId,
    action_ts: messages.nextTs(),
    trigger_id: tickets.issueTrigger({
      user: person.id,
      viewId: null,
      conversation: post.message?.channel ?? null,
      cause: id,
    }),
  }
  const told = await tellInteraction(
    line,
    post.message ? 'message_action' : 'shortcut',
    person.id,
    payload,
    id,
  )
  if (told.verdict === 'ok') return { ok: true, deliveryId: id, seq }
  const message = SENTENCES[told.verdict]
  log.append({ type: 'notice', text: message, cause: id }, [person.id])
  return { ok: false, deliveryId: id, seq, error: told.verdict, message }
}
