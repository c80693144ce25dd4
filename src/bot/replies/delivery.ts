import type { Message } from '../../blocks/message.ts'
import type { Log } from '../../log.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import type { WaysToAnswer } from '../../slack/receive/surface.ts'
import { isOfBlocks } from '../../slack/reply/new-blocks.ts'
import type { Responder } from '../../slack/reply/respond.ts'
import type { HandledRequest, ReplyOptions } from '../routes/handled-request.ts'

export interface MessageDelivery {
  /** By the answer's own way, while that is open. */
  deliver(place: HandledRequest, ready: Message, options: ReplyOptions): Promise<void>
  /** For when that way is closed: to the channel for this person alone, else to their direct messages. */
  post(place: HandledRequest, message: Message): Promise<void>
}

/** Brings a message to where its person looks. */
export function createDelivery(parts: {
  clients: SlackClients
  responder: Responder
  log: Log
}): MessageDelivery {
  const { clients, responder, log } = parts

  async function post(place: HandledRequest, message: Message): Promise<void> {
    const slack = await clients.of(place)
    const { channelId } = place
    const { threadTs }: WaysToAnswer = place.surface
    // What only shows until the next reload would not reach somebody who has stopped waiting for it.
    if (channelId && !place.act?.isResumed) {
      try {
        return await slack.postEphemeral({ channelId, threadTs }, place.userId, message)
      } catch (error) {
        if (isOfBlocks(error)) throw error
        log.warn(
          { reference: place.reference, err: error },
          'The channel is closed to the app; writing directly.',
        )
      }
    }
    await slack.postDirect(place.userId, message)
  }

  return {
    post,
    async deliver(place: HandledRequest, ready: Message, options: ReplyOptions): Promise<void> {
      const { responseUrl, threadTs }: WaysToAnswer = place.surface
      if (responseUrl && !(threadTs && !options.inPlace)) {
        try {
          return await responder.respond({ responseUrl, workspaceId: place.workspaceId }, ready, options)
        } catch (error) {
          if (isOfBlocks(error) || options.quiet) throw error
          log.warn({ reference: place.reference, err: error }, 'A response_url was refused; posting instead.')
        }
      }
      await post(place, ready)
    },
  }
}
