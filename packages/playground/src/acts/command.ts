import { ackMessage, applyAnswer } from '../answers.ts'
import { readAnswer, type Told } from '../delivery/line.ts'
import { createId } from '../ids.ts'
import { APP_ID, SLACKBOT } from '../people.ts'
import type { Channel, Outcome, Post } from '../protocol.ts'
import { actor, channelOf, type Slack, VERIFICATION_TOKEN } from '../slack.ts'
import type { ResponseUrl } from '../tickets.ts'
import { escapeArguments } from '../typed.ts'

/** A channel as payloads name it: a direct message is `directmessage`. */
export function channelFields({ people }: Pick<Slack, 'people'>, id: string): { id: string; name: string } {
  const channel = people.channel(id)
  return { id, name: channel?.kind === 'dm' ? 'directmessage' : (channel?.name ?? '') }
}

/** A person runs a slash command: the signed request, and the app's acknowledgement. */
export async function runCommand(slack: Slack, post: Post<'command'>): Promise<Outcome> {
  const { people, messages, line, tickets, manifest, log, url, installs } = slack
  const person = actor(slack, post.user)
  const workspace = people.workspaceOf(person)
  const channel = channelOf(slack, person, post.channel)
  const isHere = ({ teamId, kind }: Channel) => teamId === workspace.id && kind === 'channel'
  const seq = log.seq
  const tellPerson = (text: string, cause: string | null) =>
    messages.post({
      channel: channel.id,
      user: SLACKBOT,
      app: false,
      text,
      mrkdwn: false,
      readerId: person.id,
      cause,
    })

  const known = manifest.commands.find(({ command }) => command === post.command)
  if (!known) {
    tellPerson(`${post.command} is not a valid command.`, null)
    const message = `The manifest has no command "${post.command}".`
    return { ok: false, deliveryId: null, seq, error: 'invalid_command', message }
  }
  const install = installs.of(workspace.id)
  if (!install) {
    tellPerson(`${post.command} is not a valid command.`, null)
    const message = `The app is not installed in ${workspace.name}.`
    return { ok: false, deliveryId: null, seq, error: 'invalid_command', message }
  }

  const id = createId('Q')
  const target: ResponseUrl = {
    user: person.id,
    channel: channel.id,
    original: null,
    threadTs: null,
    cause: id,
  }
  const fields = {
    token: VERIFICATION_TOKEN,
    team_id: workspace.id,
    team_domain: workspace.domain,
    ...(workspace.organization && {
      enterprise_id: workspace.organization.id,
      enterprise_name: workspace.organization.name,
    }),
    channel_id: channel.id,
    channel_name: channelFields(slack, channel.id).name,
    user_id: person.id,
    user_name: person.name,
    command: post.command,
    text: known.shouldEscape
      ? escapeArguments(post.text, people.of(workspace.id), people.channels().filter(isHere))
      : post.text,
    api_app_id: APP_ID,
    is_enterprise_install: String(install.isOrganization),
    response_url: url() + tickets.issueResponsePath('commands', workspace.id, target),
    trigger_id: tickets.issueTrigger({ user: person.id, viewId: null, conversation: channel.id, cause: id }),
  }
  const told = await line.tell(
    {
      kind: 'command',
      command: post.command,
      user: person.id,
      contentType: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(fields).toString(),
      readable: fields,
    },
    id,
  )
  if (told.verdict !== 'ok') {
    const message = `${post.command} failed with the error "${told.verdict}"`
    tellPerson(message, id)
    return { ok: false, deliveryId: id, seq, error: told.verdict, message }
  }
  showAck(slack, told, target)
  return { ok: true, deliveryId: id, seq }
}

function showAck(slack: Slack, { answer, delivery }: Told, target: ResponseUrl): void {
  const said = ackMessage(answer.headers['content-type'] ?? '', answer.text, readAnswer(answer))
  const fault = said && applyAnswer(slack, target, said)
  if (fault) slack.journal.note(delivery, fault.error, fault.notes)
}
