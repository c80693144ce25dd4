import type { Message } from '../../blocks/message.ts'
import type { Log } from '../../log.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import type { WaysToAnswer } from '../../slack/receive/surface.ts'
import { isOfBlocks } from '../../slack/reply/new-blocks.ts'
import type { Responder } from '../../slack/reply/respond.ts'
import type { HandledRequest, ReplyOptions } from '../routes/handled-request.ts'

export interface MessageDelivery {
  /** By the answer's own way, while that is open. */
  deliver(request: HandledRequest, ready: Message, options: ReplyOptions): Promise<void>
  /** For when that way is closed: to the channel for this person alone, else to their direct messages. */
  post(request: HandledRequest, message: Message): Promise<void>
}

/** Brings a message to where its person looks. */
export function createDelivery(parts: {
  clients: SlackClients
  responder: Responder
  log: Log
}): MessageDelivery {
  const { clients, responder, log } = parts

  async function post(request: HandledRequest, message: Message): Promise<void> {
    const slack = await clients.of(request)
    const { channelId } = request
    const { threadTs }: WaysToAnswer = request.surface
    // What only shows until the next reload would not reach somebody who has stopped waiting for it.
    if (channelId && !request.act?.isResumed) {
      try {
        return await slack.postEphemeral({ channelId, threadTs }, request.userId, message)
      } catch (error) {
        if (isOfBlocks(error)) throw error
        log.warn(
          { reference: request.reference, err: error },
          'The channel is closed to the app; writing directly.',
        )
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
