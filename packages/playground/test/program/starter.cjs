'use strict'
// What Slack's own guide to Bolt begins with: an app that greets, and hears its button.
const { App } = require('@slack/bolt')

const app = new App({ token: process.env.SLACK_BOT_TOKEN, signingSecret: process.env.SLACK_SIGNING_SECRET })

app.message('hello', async ({ message, say }) => {
  await say({
    blocks: [
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `Hey there <@${message.user}>!` },
        accessory: {
          type: 'button',
          text: { type: 'plain_text', text: 'Click Me' },
          action_id: 'button_click',
        },
      },
    ],
    text: `Hey there <@${message.user}>!`,
  })
})

app.action('button_click', async ({ body, ack, say }) => {
  await ack()
  await say(`<@${body.user.id}> clicked the button`)
})

app.start(process.env.PORT).then(() => app.logger.info('Bolt app is running!'))
