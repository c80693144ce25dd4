'use strict'
// An ordinary Bolt app in Socket Mode, with no code for the playground.
const { App } = require('@slack/bolt')

const app = new App({
  token: process.env.SLACK_BOT_TOKEN,
  appToken: process.env.SLACK_APP_TOKEN,
  socketMode: true,
})
app.command('/hc', async ({ ack, respond, command }) => {
  await ack()
  await respond(`Over a socket: ${command.text}`)
})
app.start()
