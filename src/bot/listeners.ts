// This folder takes a request from Slack to the command or form that handles it, and the answer back. Its way is handle.ts, find.ts,
// run.ts, answer.ts. A request that changes something is stored and run by acts.ts.

import {
  fromAction,
  fromChannelShared,
  fromCommand,
  fromHomeOpened,
  fromMessage,
  fromOptions,
  fromShortcut,
  fromSubmission,
  fromUninstall,
  fromUserChange,
  type Request,
  type SlackEvent,
} from '@signalman/slack'
import type { AckFn, App, Context } from '@slack/bolt'
import type { Acknowledge, Handle, HandleEvent } from './handle.ts'

/**
 * Registers the Bolt listeners for everything that Slack sends. Each listener parses its payload into a request of a person and passes it
 * to `handle`, which acknowledges it, or into an event. Bolt runs every listener that matches, so exactly one may match each payload.
 */
export function registerListeners(app: App, handle: Handle, handleEvent: HandleEvent): void {
  // Matches any command, so that a command of an older manifest or with another prefix gets an answer too.
  app.command(/./, ({ body, context, ack }) => pass(fromCommand(body), context, ack))
  // `{}` and `{ type }` match any ID. A regular expression would throw if Slack sends no ID.
  app.action({}, ({ body, context, ack }) => pass(fromAction(body), context, ack))
  app.options({}, ({ body, context, ack }) => pass(fromOptions(body), context, ack))
  app.view({ type: 'view_submission' }, ({ body, context, ack }) => pass(fromSubmission(body), context, ack))
  app.shortcut({ type: 'message_action' }, ({ body, context, ack }) => pass(fromShortcut(body), context, ack))

  app.event('app_home_opened', ({ body, context }) => pass(fromHomeOpened(body), context))
  app.event('app_mention', ({ body, context }) => pass(fromMessage(body), context))
  app.message(({ body, context }) => pass(fromMessage(body), context))

  app.event('user_change', ({ body }) => passEvent(fromUserChange(body)))
  app.event('channel_shared', ({ body }) => passEvent(fromChannelShared(body)))
  app.event(/^(?:app_uninstalled|tokens_revoked)$/, ({ body }) => passEvent(fromUninstall(body)))

  async function pass(
    request: Request | undefined,
    { requestKey }: Context,
    ack: AckFn<never> = async () => undefined,
  ): Promise<void> {
    // Cast, because each handler acknowledges its own kind of payload. Bolt itself acknowledges events.
    const acknowledge = ack as Acknowledge
    return request ? handle(request, String(requestKey), acknowledge) : acknowledge()
  }

  async function passEvent(event: SlackEvent | undefined): Promise<void> {
    if (event) await handleEvent(event)
  }
}
