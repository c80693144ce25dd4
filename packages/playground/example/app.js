import bolt from '@slack/bolt'

const app = new bolt.App({
  token: process.env.SLACK_BOT_TOKEN,
  signingSecret: process.env.SLACK_SIGNING_SECRET,
  // Only set in the playground: undefined stands for Slack itself.
  clientOptions: { slackApiUrl: process.env.SLACK_API_URL },
})

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

await app.start(process.env.PORT || 3000)
app.logger.info('Bolt app is running!')
