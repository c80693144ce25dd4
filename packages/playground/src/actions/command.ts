// This folder: what people do: type a command, press, choose, submit.

import { applyReply, toAckMessage } from '../changes/app-replies.ts'
import type { AppLink } from '../delivery/app-link.ts'
import { type AppResponse, parseResponseBody } from '../delivery/app-link.ts'
import { channelFields } from '../payloads/channel.ts'
import { VERIFICATION_TOKEN } from '../payloads/payload.ts'
import { createId } from '../protocol/ids.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { findActor, findOwnChannel } from '../state/actors.ts'
import { APP_ID, SLACKBOT } from '../state/people.ts'
import type { ResponseUrl } from '../state/tickets.ts'
import { readTyped } from '../state/typed.ts'
import type { World } from '../state/world.ts'

/** A person runs a slash command: sends the signed request to the app, and posts the message in its acknowledgement, if any. */
export async function runCommand(world: World, link: AppLink, post: PostBody<'command'>): Promise<Outcome> {
  const { people, messages, tickets, manifest, log, url, installs } = world
  const person = findActor(world, post.user)
  const workspace = people.getWorkspace(person)
  const channel = findOwnChannel(world, person, post.channel)
  const seq = log.seq
  const replyToPerson = (text: string, cause: string | null) =>
    messages.post({
      channel: channel.id,
      user: SLACKBOT,
      app: false,
      text,
      mrkdwn: false,
      readerId: person.id,
      cause,
    })

  const command = manifest.commands.find(({ command }) => command === post.command)
  if (!command) {
    replyToPerson(`${post.command} is not a valid command.`, null)
    const message = `The manifest has no command "${post.command}".`
    return { ok: false, deliveryId: null, seq, error: 'invalid_command', message }
  }
  if (!installs.find(workspace.id)) {
    replyToPerson(`${post.command} is not a valid command.`, null)
    const message = `The app isn't installed in ${workspace.name}.`
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
    channel_name: channelFields(world, channel.id).name,
    user_id: person.id,
    user_name: person.name,
    command: post.command,
    text: command.isEscaped ? readTyped(world, person, post.text) : post.text,
    api_app_id: APP_ID,
    is_enterprise_install: 'false',
    response_url: url() + tickets.issueResponsePath('commands', workspace.id, target),
    trigger_id: tickets.issueTrigger({ user: person.id, viewId: null, cause: id }),
  }
  const response = await link.request(
    {
      kind: 'command',
      command: post.command,
      user: person.id,
      contentType: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(fields).toString(),
      payload: fields,
    },
    id,
  )
  if (response.verdict !== 'ok') {
    const message = `${post.command} failed with the error "${response.verdict}"`
    replyToPerson(message, id)
    return { ok: false, deliveryId: id, seq, error: response.verdict, message }
  }
  showAckMessage(world, response, target)
  return { ok: true, deliveryId: id, seq }
}

function showAckMessage(world: World, { http, delivery }: AppResponse, target: ResponseUrl): void {
  const message = toAckMessage(http.headers['content-type'] ?? '', http.text, parseResponseBody(http))
  const rejection = message && applyReply(world, target, message)
  if (rejection) world.journal.changeVerdict(delivery, rejection.error, rejection.notes)
}
