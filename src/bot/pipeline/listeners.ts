import {
  fromAction,
  fromChannelOpen,
  fromChannelShared,
  fromCommand,
  fromDirectMessage,
  fromHomeOpened,
  fromMention,
  fromOptions,
  fromShortcut,
  fromSubmission,
  fromUninstall,
  fromUserChange,
  type Request,
} from '@signalman/slack'
import type { AckFn, App, Context } from '@slack/bolt'
import type { Acknowledge, HandleRequest } from './pipeline.ts'

/**
 * Registers the Bolt listeners for everything that Slack sends. Each listener parses its payload into a request and passes it to the
 * pipeline, which acknowledges it. Bolt runs every listener that matches, so exactly one may match each payload.
 */
export function registerListeners(app: App, handleRequest: HandleRequest): void {
  // Matches any command, so that a command of an older manifest or with another prefix gets an answer too.
  app.command(/./, ({ body, context, ack }) => handle(fromCommand(body), context, ack))
  // `{}` and `{ type }` match any ID. A regular expression would throw if Slack sends no ID.
  app.action({}, ({ body, context, ack }) => handle(fromAction(body), context, ack))
  app.options({}, ({ body, context, ack }) => handle(fromOptions(body), context, ack))
  app.view({ type: 'view_submission' }, ({ body, context, ack }) =>
    handle(fromSubmission(body), context, ack),
  )
  app.shortcut({ type: 'message_action' }, ({ body, context, ack }) =>
    handle(fromShortcut(body), context, ack),
  )

  app.event('app_home_opened', ({ body, context }) => handle(fromHomeOpened(body), context))
  app.event('app_mention', ({ body, context }) => handle(fromMention(body), context))
  app.message(({ body, context }) => handle(fromDirectMessage(body), context))

  app.event('user_change', ({ body, context }) => handle(fromUserChange(body), context))
  app.event('channel_shared', ({ body, context }) => handle(fromChannelShared(body), context))
  app.event(/^(?:(?:channel|group)_unarchive|member_joined_channel)$/, ({ body, context }) =>
    handle(fromChannelOpen(body), context),
  )
  app.event(/^(?:app_uninstalled|tokens_revoked|team_access_revoked)$/, ({ body, context }) =>
    handle(fromUninstall(body), context),
  )

  async function handle(
    request: Request | undefined,
    { requestKey }: Context,
    ack: AckFn<never> = async () => undefined,
  ): Promise<void> {
    // Cast, because each handler acknowledges its own kind of payload. Bolt itself acknowledges events.
    const acknowledge = ack as Acknowledge
    return request ? handleRequest(request, requestKey, acknowledge) : acknowledge()
  }
}
