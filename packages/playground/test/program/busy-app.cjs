'use strict'
// Responds to the first command only after the second one has arrived. In the meantime, posts a message that isn't a response to either.
const { App } = require('@slack/bolt')

const isSocketMode = process.env.TRANSPORT === 'socket'
const app = new App({
  token: process.env.SLACK_BOT_TOKEN,
  ...(isSocketMode
    ? { socketMode: true, appToken: process.env.SLACK_APP_TOKEN }
    : { signingSecret: process.env.SLACK_SIGNING_SECRET }),
})
const post = (channel, text) => app.client.chat.postMessage({ channel, text })

const second = Promise.withResolvers()
const first = Promise.withResolvers()
const byItself = second.promise.then((channel) => post(channel, 'by itself'))

app.command('/hc', async ({ ack, command }) => {
  const { channel_id: channel, text } = command
  await ack()
  if (text === 'first') {
    await second.promise
    await post(channel, 'to the first')
    first.resolve()
  } else if (text === 'second') {
    second.resolve(channel)
    await Promise.all([first.promise, byItself])
    await post(channel, 'to the second')
  } else if (text === 'die') process.exit(9)
  else await post(channel, `to ${text}`)
})
app.start(process.env.PORT)
