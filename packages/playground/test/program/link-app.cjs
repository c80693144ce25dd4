'use strict'
// An app that unfurls links, and replies in assistant threads.
const { App, Assistant } = require('@slack/bolt')

const app = new App({ token: process.env.SLACK_BOT_TOKEN, signingSecret: process.env.SLACK_SIGNING_SECRET })
app.event('link_shared', async ({ client, event: { links, source, unfurl_id } }) => {
  const unfurls = Object.fromEntries(links.map(({ url }) => [url, { text: `Preview of ${url}` }]))
  await client.chat.unfurl({ source, unfurl_id, unfurls })
})
app.assistant(
  new Assistant({
    threadStarted: async ({ saveThreadContext }) => saveThreadContext(),
    userMessage: async ({ say }) => say('Nothing is down.'),
  }),
)
app.start(process.env.PORT)
