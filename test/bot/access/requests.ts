import { randomUUID } from 'node:crypto'
import { answerAction } from '../../../packages/slack/src/blocks/inputs.ts'
import { signRequest } from '../../slack/signed.ts'

/** The IDs of the person who sends the requests. */
export interface ActingPerson {
  userId: string
  /** Their own workspace. */
  teamId: string
}

/** The fields that every request has. */
export interface RequestTarget {
  workspaceId: string
  /** The Enterprise Grid organization of the workspace. */
  organization?: { id: string; name: string }
  channelId: string
  responseUrl: string
}

export type Requests = ReturnType<typeof createRequests>
type Send = (body: string) => Promise<unknown>

const BOT = 'U0SIGNALMAN'

const encodePayload = (fields: object): string =>
  new URLSearchParams({ payload: JSON.stringify(fields) }).toString()

/** The answers to a form, by field, as in Slack's `view.state.values`. */
const nameAnswers = (answers: object, metadata: string): object =>
  Object.fromEntries(
    Object.entries(answers).map(([field, answer]) => [field, { [answerAction(metadata)]: answer }]),
  )

/**
 * Builds the body of every kind of request by this person, in Slack's documented formats. `fields`, `view`, and `message`
 * are other fields of those parts.
 */
export function createRequests(
  { userId, teamId }: ActingPerson,
  { workspaceId, organization, channelId, responseUrl }: RequestTarget,
) {
  const createCommonFields = () => ({
    user: { id: userId, name: userId, team_id: teamId },
    team: { id: workspaceId, domain: 'one', enterprise_id: organization?.id },
    ...(organization && { enterprise: organization, is_enterprise_install: false }),
    // Unique, as Slack's are, because the app ignores a repeated request.
    trigger_id: randomUUID(),
  })
  const ids = { enterprise_id: organization?.id, team_id: workspaceId }
  const ofOrganization = organization && {
    ...{ enterprise_id: organization.id, context_team_id: workspaceId },
    context_enterprise_id: organization.id,
    authorizations: [{ ...ids, user_id: BOT, is_bot: true, is_enterprise_install: false }],
    is_ext_shared_channel: false,
  }
  const encodeEvent = (event: object): string =>
    JSON.stringify({
      ...{ type: 'event_callback', event_id: randomUUID(), team_id: workspaceId, event },
      ...ofOrganization,
    })
  const inChannel = {
    channel: { id: channelId },
    container: { type: 'message', channel_id: channelId, message_ts: '1.1' },
    response_url: responseUrl,
  }

  return {
    command: (line: string): string => {
      const [command = '', ...words] = line.split(' ')
      return new URLSearchParams({
        command,
        text: words.join(' '),
        team_id: workspaceId,
        ...(organization && { enterprise_id: organization.id, is_enterprise_install: 'false' }),
        user_id: userId,
        channel_id: channelId,
        response_url: responseUrl,
        trigger_id: randomUUID(),
      }).toString()
    },
    /** A press on a button with this line, in a message unless there is a view. */
    action: (
      line: string,
      action_id = 'command.0',
      fields: { view?: object; [name: string]: unknown } = {},
    ) =>
      encodePayload({
        type: 'block_actions',
        ...createCommonFields(),
        ...(fields.view ? {} : inChannel),
        ...fields,
        actions: [{ type: 'button', action_id, block_id: 'b', value: line }],
      }),
    submission: (formId: string, metadata: string, values: object, blocks: unknown = [], view: object = {}) =>
      encodePayload({
        type: 'view_submission',
        ...createCommonFields(),
        view: {
          id: 'V1',
          type: 'modal',
          callback_id: formId,
          private_metadata: metadata,
          title: { type: 'plain_text', text: 'A window' },
          submit: { type: 'plain_text', text: 'Send' },
          blocks,
          state: { values: nameAnswers(values, metadata) },
          ...view,
        },
      }),
    /** `@Signalman hc edit` in a channel, or with `direct`, in the app's DM. */
    mention: (line: string, { direct, thread }: { direct?: true; thread?: string } = {}): string =>
      encodeEvent({
        ...(direct ? { type: 'message', channel_type: 'im' } : { type: 'app_mention' }),
        user: userId,
        user_team: teamId,
        channel: direct ? 'D1' : channelId,
        ts: `${Date.now()}.${randomUUID()}`,
        ...(thread && { thread_ts: thread }),
        text: `<@${BOT}> ${line.slice(1)}`,
      }),
    openedHome: (): string => encodeEvent({ type: 'app_home_opened', tab: 'home', user: userId }),
    messageShortcut: (callbackId: string, text: string, message: object = {}): string =>
      encodePayload({
        type: 'message_action',
        ...createCommonFields(),
        ...inChannel,
        callback_id: callbackId,
        message: { type: 'message', ts: '1.1', text, ...message },
      }),
    globalShortcut: (callbackId: string): string =>
      encodePayload({ type: 'shortcut', ...createCommonFields(), callback_id: callbackId }),
    options: (formId: string, metadata: string): string =>
      encodePayload({
        type: 'block_suggestion',
        ...createCommonFields(),
        action_id: answerAction(metadata),
        block_id: 'product',
        value: 'a',
        view: { id: 'V1', type: 'modal', callback_id: formId, private_metadata: metadata },
      }),
  }
}

/** Returns a function that signs a body, posts it to the app like Slack, and returns the app's response. */
export function createSender(appUrl: string, signingSecret: string, now = () => new Date()): Send {
  return async (body) => {
    const { headers } = signRequest(signingSecret, body, { json: body.startsWith('{'), at: now() })
    const answer = await fetch(`${appUrl}/slack/events`, { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(`The app answered ${answer.status}.`)
    return answer.text()
  }
}
