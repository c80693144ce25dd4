// Bare Bolt in its own process, set up like in its guide. This is JavaScript, so that stripping types doesn't slow down its start.
import { App, HTTPReceiver, LogLevel } from '@slack/bolt'

const app = new App({
  receiver: new HTTPReceiver({ signingSecret: 'signing-secret-of-the-bench', logLevel: LogLevel.ERROR }),
  authorize: async () => ({ botToken: 'xoxb-bench', botId: 'B1', botUserId: 'U1' }),
  logLevel: LogLevel.ERROR,
})
app.command('/hc', ({ ack }) => ack())
await app.start({ port: Number(process.env.PORT), host: '127.0.0.1' })
