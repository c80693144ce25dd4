import type { Message } from '../../blocks/message.ts'
import type { Log } from '../../log.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import type { WaysToAnswer } from '../../slack/receive/surface.ts'
import { isOfBlocks } from '../../slack/reply/new-blocks.ts'
import type { Responder } from '../../slack/reply/respond.ts'
import type { HandledRequest, ReplyOptions } from '../routes/handled-request.ts'

export interface MessageDelivery {
  /** Answers through Slack's response_url while that works, else like `post`. */
  deliver(request: HandledRequest, ready: Message, options: ReplyOptions): Promise<void>
  /** Posts in the channel for this person alone, else in their direct messages. */
  post(request: HandledRequest, message: Message): Promise<void>
}

/** Sends a message to the place where its person looks. */
export function createDelivery(parts: {
  clients: SlackClients
  responder: Responder
  log: Log
}): MessageDelivery {
  const { clients, responder, log } = parts

  async function post(request: HandledRequest, message: Message): Promise<void> {
    const slack = await clients.of(request)
    const { channelId, reference } = request
    const { threadTs }: WaysToAnswer = request.surface
    // A reload removes an ephemeral message, and after a crash the person may have stopped waiting for it.
    if (channelId && !request.act?.isResumed) {
      try {
        return await slack.postEphemeral({ channelId, threadTs }, request.userId, message)
      } catch (error) {
        if (isOfBlocks(error)) throw error
        log.warn({ reference, err: error }, 'The channel is closed to the app; writing directly.')
      }
    }
    await slack.postDirect(request.userId, message)
  }

  return {
    post,
    async deliver(request: HandledRequest, ready: Message, options: ReplyOptions): Promise<void> {
      const { responseUrl, threadTs }: WaysToAnswer = request.surface
      if (responseUrl && !(threadTs && !options.inPlace)) {
        try {
          return await responder.respond({ responseUrl, workspaceId: request.workspaceId }, ready, options)
        } catch (error) {
          if (isOfBlocks(error) || options.quiet) throw error
          log.warn(
            { reference: request.reference, err: error },
            'A response_url was refused; posting instead.',
          )
        }
      }
      await post(request, ready)
    },
  }
}
