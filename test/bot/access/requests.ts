import { randomUUID } from 'node:crypto'
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
  channelId: string
  responseUrl: string
}

type Send = (body: string) => Promise<unknown>

const encodePayload = (fields: object): string =>
  new URLSearchParams({ payload: JSON.stringify(fields) }).toString()

/** Builds the body of every kind of request by this person, in Slack's documented formats. */
export function createRequests(
  { userId, teamId }: ActingPerson,
  { workspaceId, channelId, responseUrl }: RequestTarget,
) {
  const createCommonFields = () => ({
    user: { id: userId, team_id: teamId },
    team: { id: workspaceId },
    // Unique, as Slack's are, because the app ignores a repeated request.
    trigger_id: randomUUID(),
  })
  const encodeEvent = (event: object): string =>
    JSON.stringify({ type: 'event_callback', event_id: randomUUID(), team_id: workspaceId, event })
  const inChannel = {
    channel: { id: channelId },
    container: { channel_id: channelId },
    response_url: responseUrl,
  }

  return {
    command: (line: string): string => {
      const [command = '', ...words] = line.split(' ')
      return new URLSearchParams({
        command,
        text: words.join(' '),
        team_id: workspaceId,
        user_id: userId,
        channel_id: channelId,
        response_url: responseUrl,
        trigger_id: randomUUID(),
      }).toString()
    },
    /** A press on a button with this line. */
    action: (line: string, action_id = 'command.0'): string =>
      encodePayload({
        type: 'block_actions',
        ...createCommonFields(),
        ...inChannel,
        actions: [{ type: 'button', action_id, block_id: 'b', value: line }],
      }),
    submission: (formId: string, metadata: string, values: object, blocks: unknown = []): string =>
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
          state: { values },
        },
      }),
    /** `@Signalman hc edit` in a channel. */
    mention: (line: string): string =>
      encodeEvent({
        type: 'app_mention',
        user: userId,
        user_team: teamId,
        channel: channelId,
        ts: '1.1',
        text: `<@U0SIGNALMAN> ${line.slice(1)}`,
      }),
    openedHome: (): string => encodeEvent({ type: 'app_home_opened', tab: 'home', user: userId }),
    messageShortcut: (callbackId: string, text: string): string =>
      encodePayload({
        type: 'message_action',
        ...createCommonFields(),
        ...inChannel,
        callback_id: callbackId,
        message: { type: 'message', ts: '1.1', text },
      }),
    globalShortcut: (callbackId: string): string =>
      encodePayload({ type: 'shortcut', ...createCommonFields(), callback_id: callbackId }),
    options: (formId: string, metadata: string): string =>
      encodePayload({
        type: 'block_suggestion',
        ...createCommonFields(),
        action_id: 'answer',
        block_id: 'product',
        value: 'a',
        view: { id: 'V1', type: 'modal', callback_id: formId, private_metadata: metadata },
      }),
  }
}

/** Returns a function that signs a body, posts it to the app like Slack, and returns the app's response. */
export function createSender(appUrl: string, signingSecret: string): Send {
  return async (body) => {
    const { headers } = signRequest(signingSecret, body, { json: body.startsWith('{') })
    const answer = await fetch(`${appUrl}/slack/events`, { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(`The app answered ${answer.status}.`)
    return answer.text()
  }
}
