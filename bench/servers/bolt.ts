import type { AddressInfo } from 'node:net'
import { App, HTTPReceiver, LogLevel } from '@slack/bolt'
import { serveMeasured } from '../parts/server.ts'
import { BOT_TOKEN, SIGNING_SECRET } from '../parts/slack.ts'

interface Settings {
  /** The answer to each command after its acknowledgement; by default it is only acknowledged. */
  answer?: object
}

/** A Bolt app, set up like in Bolt's guide, with a listener for `/hc`. */
serveMeasured(async ({ answer }: Settings) => {
  const app = new App({
    receiver: new HTTPReceiver({ signingSecret: SIGNING_SECRET, logLevel: LogLevel.ERROR }),
    authorize: async () => ({ botToken: BOT_TOKEN, botId: 'B1', botUserId: 'U1' }),
    logLevel: LogLevel.ERROR,
  })
  app.command('/hc', async ({ ack, respond }) => {
    await ack()
    if (answer) await respond(answer)
  })
  app.view({ type: 'view_closed', callback_id: 'bench' }, ({ ack }) => ack())
  const server = await app.start({ port: 0, host: '127.0.0.1' })
  // A server that listens on TCP has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
