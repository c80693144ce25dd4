// A minimal app over HTTP, as an ES module.
import bolt from '@slack/bolt'

const app = new bolt.App({
  token: process.env.SLACK_BOT_TOKEN,
  signingSecret: process.env.SLACK_SIGNING_SECRET,
})
app.command('/hc', async ({ ack, client, command }) => {
  await ack()
  await client.chat.postMessage({ channel: command.channel_id, text: `Over HTTP: ${command.text}` })
})
await app.start(process.env.PORT)
