import type { AddressInfo } from 'node:net'
import { App, HTTPReceiver, LogLevel } from '@slack/bolt'
import { serveMeasured } from '../parts/server.ts'
import { BOT_TOKEN, SIGNING_SECRET } from '../parts/slack.ts'

/** Bolt as its own guide sets it up, with one listener per command, each of which only acknowledges. */
serveMeasured(async ({ commands }: { commands: number }) => {
  const app = new App({
    receiver: new HTTPReceiver({ signingSecret: SIGNING_SECRET, logLevel: LogLevel.ERROR }),
    authorize: async () => ({ botToken: BOT_TOKEN, botId: 'B1', botUserId: 'U1' }),
    logLevel: LogLevel.ERROR,
  })
  app.command('/hc', ({ ack }) => ack())
  for (let index = 1; index < commands; index += 1) app.command(`/other-${index}`, ({ ack }) => ack())
  const server = await app.start({ port: 0, host: '127.0.0.1' })
  // A server that listens on TCP has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
